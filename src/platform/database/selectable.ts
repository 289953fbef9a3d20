/** A table's row as it is read: the query builder's own type, so that features need not import it. */
export type { Insertable, Selectable, Updateable } from 'kysely'
