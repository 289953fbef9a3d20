/** Reads the rows of a range in creation order, a page at a time, each page from an index. */
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Position } from './newest-first.js'
import type { Tables } from './tables.js'

/** A half-open range of creation times, epoch ms. */
export interface CreatedRange {
  readonly from: number
  readonly before: number
}

export interface KeysetPage {
  /** Position of the last row of the previous page; undefined for the first page. */
  readonly after?: Position | undefined
  readonly limit: number
}

/** `matching` are the rows of an account, unordered. */
export function listOldestFirst<
  Table extends keyof Tables,
  Row extends { readonly sid: string; readonly createdAt: number },
>(
  matching: SelectQueryBuilder<Tables, Table, Row>,
  { from, before }: CreatedRange,
  { after, limit }: KeysetPage,
): Promise<Row[]> {
  const query = matching
    .where(sql<boolean>`"createdAt" >= ${after?.at ?? from}`)
    .where(sql<boolean>`"createdAt" < ${before}`)
  const page =
    after === undefined
      ? query
      : query.where(sql<boolean>`("createdAt", sid) > (${after.at}, ${after.sid})`)
  return page.orderBy(sql`"createdAt"`, 'asc').orderBy(sql`sid`, 'asc').limit(limit).execute()
}
