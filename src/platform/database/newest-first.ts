/** Lists an account's resources, newest first, a page at a time, each page read from an index. */
import { type SelectQueryBuilder, sql } from 'kysely'
import { boundedTotal, COUNT_LIMIT, type Count, countOf, type Total } from './bounded-total.js'
import type { Reader } from './database.js'
import type { Tables } from './tables.js'

/** Position of a row in creation order. */
export interface Position {
  /** Creation time, epoch ms. */
  readonly at: number
  readonly sid: string
}

export interface PageRequest {
  readonly limit: number
  /** Number of rows to skip when there is no cursor. */
  readonly offset: number
  /** Cursor of the page, which holds older rows (`after` it in the list) or newer ones. */
  readonly cursor?: (Position & { readonly side: 'after' | 'before' }) | undefined
}

export interface Page<Item> extends Total {
  readonly items: readonly Item[]
  /** Cursor of the next page; undefined when there is none. */
  readonly nextAfter: Position | undefined
}

/** A page without the count of all rows. */
export type UncountedPage<Item> = Omit<Page<Item>, keyof Total>

export interface NewestFirst<Table extends keyof Tables, Row> {
  readonly read: Reader
  /** The rows of the account that match, unordered. */
  readonly matching: SelectQueryBuilder<Tables, Table, Row>
}

export async function listNewestFirst<
  Table extends keyof Tables,
  Row extends { readonly sid: string; readonly createdAt: number },
>(list: NewestFirst<Table, Row>, page: PageRequest): Promise<Page<Row>> {
  const { cursor } = page
  const order = cursor?.side === 'before' ? 'asc' : 'desc'
  let query = list.matching
  if (cursor !== undefined)
    query = query.where(
      cursor.side === 'after'
        ? sql<boolean>`("createdAt", sid) < (${cursor.at}, ${cursor.sid})`
        : sql<boolean>`("createdAt", sid) > (${cursor.at}, ${cursor.sid})`,
    )
  const rows = await query
    .orderBy(sql`"createdAt"`, order)
    .orderBy(sql`sid`, order)
    .limit(page.limit + 1)
    .offset(cursor === undefined ? page.offset : 0)
    .execute()
  const items = rows.slice(0, page.limit)
  if (order === 'asc') items.reverse()
  const hasMore = order === 'asc' || rows.length > page.limit
  const nextAfter = hasMore ? positionOf(items.at(-1)) : undefined
  const seen = { ...page, shown: items.length, hasMore: nextAfter !== undefined }
  return { items, ...boundedTotal(await count(list), seen), nextAfter }
}

/** Returns a page of `found`, which holds one extra row when another page follows. */
export function cutPage<Item>(
  found: readonly Item[],
  limit: number,
  placeOf: (item: Item) => Position,
): UncountedPage<Item> {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, nextAfter: last && found.length > limit ? placeOf(last) : undefined }
}

async function count<Table extends keyof Tables, Row>(
  list: NewestFirst<Table, Row>,
): Promise<Count> {
  const counted = list.matching.clearSelect().select(sql<number>`1`.as('one')).limit(COUNT_LIMIT)
  const row = await list.read
    .selectFrom(counted.as('counted'))
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return countOf(row.total)
}

function positionOf(
  row: { readonly sid: string; readonly createdAt: number } | undefined,
): Position | undefined {
  return row && { at: row.createdAt, sid: row.sid }
}
