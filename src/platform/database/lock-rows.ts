import { PostgresAdapter, type SelectQueryBuilder } from 'kysely'
import type { Reader } from './database.js'
import type { Tables } from './tables.js'

/**
 * Locks the rows of a query until the transaction ends. Waits for writes that change them, and returns the rows
 * as they are then. SQLite needs no lock, since it has one writer at a time.
 */
export function lockRows<Table extends keyof Tables, Row>(
  db: Reader,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return db.getExecutor().adapter instanceof PostgresAdapter ? query.forShare() : query
}
