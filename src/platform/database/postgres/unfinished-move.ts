/**
 * The table of a database that rows are being moved into: how far each table is. It exists from the
 * first row to the last, and no server takes a database that has it.
 */
export const MOVE_PROGRESS = 'database_move_progress'
