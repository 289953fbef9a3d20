import { PostgresAdapter, type SelectQueryBuilder } from 'kysely'
import type { Reader } from './database.js'
import type { Tables } from './tables.js'

/**
 * Makes a query keep the rows that it finds from being changed until its transaction ends. It waits
 * for writes that change them, and finds them as they are then. SQLite has one writer at a time,
 * which comes to the same.
 */
export function lockRows<Table extends keyof Tables, Row>(
  db: Reader,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return db.getExecutor().adapter instanceof PostgresAdapter ? query.forShare() : query
}
