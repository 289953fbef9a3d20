/**
 * The tables, as the typed query builder sees them. Each feature adds its own to `Tables` by
 * declaration merging, beside its storage. Times are epoch milliseconds, booleans 0 or 1, JSON
 * columns text; wire formats appear only at the edge.
 */
import type { Insertable } from 'kysely'

export type { ExpressionBuilder, Generated, Insertable, Selectable, Updateable } from 'kysely'
export type { UrlColumn, UrlsJsonColumn } from './at-rest.js'

/** A row as it is written: every column has a value. */
export type Written<Table> = Required<Insertable<Table>>

export interface Tables {
  schema_migrations: SchemaMigrationsTable
}

/** One row for each migration that the database has. */
export interface SchemaMigrationsTable {
  name: string
}
