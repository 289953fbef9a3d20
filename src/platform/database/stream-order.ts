/** Orders the rows of a stream that several nodes work on. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ClaimColumns } from './claims.js'

/** Columns of a row that may wait for earlier rows. Later rows have greater ids. */
export interface StreamColumns extends ClaimColumns {
  /** Rows of one stream are processed in id order; null for a row that waits for none. */
  stream: string | null
  /**
   * The part of the stream that the row belongs to. Rows of different parts do not wait for each other. A row
   * with null belongs to the whole stream: it waits for all earlier rows and delays all later ones.
   */
  part: string | null
}

/**
 * A condition: no other row of the stream has to end before this row of the table. A row that another
 * node works on does, too: of two that are committed at once, the later one may have been seen first.
 */
export function isFirstOfStream(table: string, node: string, now: number): RawBuilder<SqlBool> {
  const own = sql.table(table)
  return sql<SqlBool>`(stream is null or not exists (
    select 1 from ${own} as other
    where other.stream = ${own}.stream
      and (other.part = ${own}.part or other.part is null or ${own}.part is null)
      and (other.id < ${own}.id or (
        other.id > ${own}.id and other."claimedBy" <> ${node} and other."claimedUntil" > ${now}))))`
}
