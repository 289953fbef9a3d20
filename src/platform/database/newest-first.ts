/**
 * Lists of an account's resources, newest first, a page at a time, each page read from an index.
 */
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Reader } from './database.js'
import type { Tables } from './tables.js'

export interface PageRequest {
  readonly limit: number
  /** Rows to skip when there is no cursor, or its resource has been deleted meanwhile. */
  readonly offset: number
  /** The page holds what is older than this resource (`after` it in the list), or newer. */
  readonly cursor?: { readonly side: 'after' | 'before'; readonly sid: string } | undefined
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** The number of rows on all pages: exact up to `MAX_COUNTED`, beyond it at least so many. */
  readonly total: number
  /** The sid that the next page comes after; undefined when there is none. */
  readonly nextAfter: string | undefined
}

export interface NewestFirst<Table extends keyof Tables, Row> {
  readonly read: Reader
  readonly table: Table
  readonly accountSid: string
  /** The rows of the account that match, unordered. */
  readonly matching: SelectQueryBuilder<Tables, Table, Row>
}

const MAX_COUNTED = 1_000

export async function listNewestFirst<
  Table extends keyof Tables,
  Row extends { readonly sid: string },
>(list: NewestFirst<Table, Row>, page: PageRequest): Promise<Page<Row>> {
  const cursor = await findCursor(list, page.cursor)
  const order = cursor?.side === 'before' ? 'asc' : 'desc'
  let query = list.matching
  if (cursor !== undefined)
    query = query.where(
      cursor.side === 'after'
        ? sql<boolean>`(created_at, sid) < (${cursor.createdAt}, ${cursor.sid})`
        : sql<boolean>`(created_at, sid) > (${cursor.createdAt}, ${cursor.sid})`,
    )
  const rows = await query
    .orderBy(sql`created_at`, order)
    .orderBy(sql`sid`, order)
    .limit(page.limit + 1)
    .offset(cursor === undefined ? page.offset : 0)
    .execute()
  const items = rows.slice(0, page.limit)
  if (order === 'asc') items.reverse()
  const hasMore = order === 'asc' || rows.length > page.limit
  // Known to exist, however far was counted.
  const seen = items.length === 0 ? 0 : page.offset + items.length + (hasMore ? 1 : 0)
  return {
    items,
    total: Math.max(await count(list), seen),
    nextAfter: hasMore ? items.at(-1)?.sid : undefined,
  }
}

async function count<Table extends keyof Tables, Row>(
  list: NewestFirst<Table, Row>,
): Promise<number> {
  const counted = list.matching.clearSelect().select(sql<number>`1`.as('one')).limit(MAX_COUNTED)
  const row = await list.read
    .selectFrom(counted.as('counted'))
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return row.total
}

async function findCursor<Table extends keyof Tables, Row>(
  { read, table, accountSid }: NewestFirst<Table, Row>,
  wanted: PageRequest['cursor'],
): Promise<(NonNullable<PageRequest['cursor']> & { readonly createdAt: number }) | undefined> {
  if (wanted === undefined) return undefined
  const { rows } = await sql<{ created_at: number }>`
    select created_at from ${sql.table(table)}
    where sid = ${wanted.sid} and account_sid = ${accountSid}`.execute(read)
  const [row] = rows
  return row === undefined ? undefined : { ...wanted, createdAt: row.created_at }
}
