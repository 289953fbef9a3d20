/**
 * Table that holds the progress of a move into this database. It exists from the first row to the last; servers
 * refuse a database that has it.
 */
export const MOVE_PROGRESS = 'database_move_progress'
