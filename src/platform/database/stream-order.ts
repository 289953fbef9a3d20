/** The order of rows of one stream that the nodes which share a database work on. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ClaimColumns } from './claims.js'

/** The columns of a row that may wait for earlier rows. Later rows have greater ids. */
export interface StreamColumns extends ClaimColumns {
  /** Rows of one stream are worked on in the order of their ids; null for a row that waits for none. */
  stream: string | null
  /**
   * The part of the stream that the row is about. Rows of different parts do not wait for each other; a
   * row of the whole stream, which has null, waits for all earlier ones and holds back all later ones.
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
