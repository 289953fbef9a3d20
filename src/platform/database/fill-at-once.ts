/**
 * Stores millions of rows in a table of a server's database, for benchmarks: without its indexes and
 * triggers, which are made again when the rows are there.
 */
import type { Filling } from './filling.js'
import { fillPostgres } from './postgres/fill-postgres.js'
import { fillSqlite } from './sqlite/fill-sqlite.js'

/** `place` is a file, or the URL of a PostgreSQL database. */
export async function fillAtOnce(place: string, filling: Filling): Promise<void> {
  if (/^postgres(ql)?:/.test(place)) await fillPostgres(place, filling)
  else fillSqlite(place, filling)
}
