/**
 * Lists the calls of an account, newest first, in pages. The cost of a page does not grow with the account:
 * each page is read from an index, starts at the last call of the page before, and scans a bounded number of
 * calls.
 */

import {
  boundedTotal,
  COUNT_LIMIT,
  type Count,
  countOf,
  MAX_COUNTED,
} from '../../platform/database/bounded-total.js'
import { readOnce } from '../../platform/database/compiled-once.js'
import type { Reader } from '../../platform/database/database.js'
import type { Page, PageRequest, Position } from '../../platform/database/newest-first.js'
import type { CallStatus } from '../model/call-record.js'
import { SHOWN_COLUMNS, type ShownCall, type ShownRow, toShownCall } from '../model/shown-call.js'
import { ENDED_LATE_MS } from '../model/tables.js'
import type { KeptCalls } from './storage/kept-calls.js'

export interface CallFilter {
  readonly to?: string
  readonly from?: string
  readonly status?: CallStatus
  readonly parentCallSid?: string
  /** The ranges are half open, in epoch milliseconds. */
  readonly startedFrom?: number
  readonly startedBefore?: number
  readonly endedFrom?: number
  readonly endedBefore?: number
}

/** Maximum number of calls that one page scans for matches of a filter. */
const MAX_SCANNED = 20_000

const HOUR_MS = 3_600_000
/** Tolerance for a clock that was set back between a call's creation and its start or end, ms. */
const CLOCK_SLACK_MS = 60_000
/** Maximum time from a call's creation to its start, ms: LiveCalls limits its queue and setup time. */
const MAX_UNTIL_STARTED_MS = 25 * HOUR_MS

/** The filter of a list, and its account. */
interface Search {
  readonly read: Reader
  readonly accountSid: string
  readonly filter: CallFilter
  readonly cursor: PageRequest['cursor']
  readonly maxScanned: number
  readonly kept: KeptCalls
}

export async function listCalls(
  read: Reader,
  accountSid: string,
  filter: CallFilter,
  page: PageRequest,
  kept: KeptCalls,
  maxScanned = MAX_SCANNED,
): Promise<Page<ShownCall>> {
  const { cursor } = page
  const search: Search = { read, accountSid, filter, cursor, maxScanned, kept }
  const calls = await readPage(search, page)
  const counted = await countCalls({ ...search, cursor: undefined })
  const shown = calls.slice(0, page.limit)
  if (cursor?.side === 'before') shown.reverse()
  const hasMore = cursor?.side === 'before' || calls.length > page.limit
  const last = shown.at(-1)
  const nextAfter =
    hasMore && last !== undefined
      ? { at: last.createdAt, sid: last.sid }
      : await lastScanned(search)
  // There is a next page, even if the count stopped before it.
  const seen = { ...page, shown: shown.length, hasMore: nextAfter !== undefined }
  return { items: shown, ...boundedTotal(counted, seen), nextAfter }
}

/** Reads the calls of a page plus one, which shows whether there is a next page. */
async function readPage(
  search: Search,
  { limit, offset }: PageRequest,
): Promise<readonly ShownCall[]> {
  const { read, accountSid, filter, cursor, kept } = search
  const paged = { limit: limit + 1, offset: cursor === undefined ? offset : 0 }
  if (cursor === undefined && Object.keys(filter).length === 0)
    return await kept.newest(read, { accountSid, ...paged })
  return (await rowsOf(search, paged)).map(toShownCall)
}

type Paged = Readonly<Record<'limit' | 'offset', number>>

async function rowsOf(search: Search, paged: Paged): Promise<readonly ShownRow[]> {
  if (restOf(search.filter).length > 0) return await matchingPage(search, paged)
  return await candidates(search)
    .select(SHOWN_COLUMNS)
    .limit(paged.limit)
    .offset(paged.offset)
    .execute()
}

const readCount = readOnce<{ readonly accountSid: string }, { calls: number }>(
  ['accountSid'],
  (db, { accountSid }) =>
    db.selectFrom('call_counts').select('calls').where('accountSid', '=', accountSid),
)

/**
 * Returns the matching calls of a page, in order. A database may join in any order, so the few rows are
 * sorted again.
 */
async function matchingPage(search: Search, { limit, offset }: Paged) {
  const order = orderOf(search)
  const picked = matching(search, search.maxScanned)
    .select(['looked_at.sid', 'looked_at.createdAt'])
    .limit(limit)
    .offset(offset)
  return search.read
    .selectFrom(picked.as('picked'))
    .innerJoin('calls', 'calls.sid', 'picked.sid')
    .select(SHOWN_COLUMNS.map((column) => `calls.${column}` as const))
    .orderBy('picked.createdAt', order)
    .orderBy('picked.sid', order)
    .execute()
}

/**
 * Returns the position at which a page stopped scanning before it was full; undefined when all calls were
 * scanned.
 */
async function lastScanned(search: Search): Promise<Position | undefined> {
  if (restOf(search.filter).length === 0) return undefined
  const row = await lookedAt(search)
    .offset(search.maxScanned - 1)
    .limit(1)
    .executeTakeFirst()
  return row && { at: row.createdAt, sid: row.sid }
}

async function countCalls(search: Search): Promise<Count> {
  const { read, accountSid, filter } = search
  if (Object.keys(filter).length === 0) {
    const [row] = await readCount(read, { accountSid })
    return { rows: row?.calls ?? 0, isWhole: true }
  }
  const isPlain = restOf(filter).length === 0
  const counted = isPlain
    ? candidates(search).select('sid').limit(COUNT_LIMIT)
    : matching(search, MAX_COUNTED).select('looked_at.sid')
  const row = await read
    .selectFrom(counted.as('counted'))
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  if (isPlain) return countOf(row.total)
  const beyond = await lastScanned({ ...search, maxScanned: COUNT_LIMIT })
  return { rows: row.total, isWhole: beyond === undefined }
}

/**
 * Selects calls that match the rest of the filter from those that the indexes find. The order is that of the
 * inner query: a second ORDER BY would sort every scanned row.
 */
function matching(search: Search, maxScanned: number) {
  const found = lookedAt(search).limit(maxScanned)
  let query = search.read.selectFrom(found.as('looked_at'))
  for (const [column, operator, value] of restOf(search.filter))
    query = query.where(`looked_at.${column}`, operator, value)
  return query
}

function orderOf({ cursor }: Search): 'asc' | 'desc' {
  return cursor?.side === 'before' ? 'asc' : 'desc'
}

/** The columns that conditions and pages use. */
const LOOKED_AT = [
  ...(['sid', 'parentCallSid', 'toAddress', 'fromAddress', 'status'] as const),
  ...(['createdAt', 'startedAt', 'endedAt'] as const),
] as const

/**
 * Selects the calls to scan for a filter, in order. A filter by end time scans the calls created in a range,
 * plus earlier calls that ended late. Each part is read from its index, and the database merges them.
 */
function lookedAt(search: Search) {
  const order = orderOf(search)
  const inRange = within(search, createdRange(search.filter)).select(LOOKED_AT)
  const range = lateRange(search.filter)
  if (range === undefined) return inRange.orderBy('createdAt', order).orderBy('sid', order)
  const late = within(search, range)
    // A literal as in the index: with a bound value the database would not use the index.
    .where((e) => e(e('endedAt', '-', e.ref('createdAt')), '>', e.lit(ENDED_LATE_MS)))
    .select(LOOKED_AT)
  return inRange.unionAll(late).orderBy('createdAt', order).orderBy('sid', order)
}

/** Selects the rows of one index, in order: by account, one equality and the creation time. */
function candidates(search: Search) {
  const order = orderOf(search)
  return within(search, createdRange(search.filter))
    .orderBy('createdAt', order)
    .orderBy('sid', order)
}

function within(search: Search, { from, before }: CreatedRange) {
  const { read, accountSid, filter, cursor } = search
  let query = read.selectFrom('calls').where('accountSid', '=', accountSid)
  const [first] = equalitiesOf(filter)
  if (first !== undefined) query = query.where(first[0], '=', first[2])
  if (from !== undefined) query = query.where('createdAt', '>=', from)
  if (before !== undefined) query = query.where('createdAt', '<', before)
  if (cursor !== undefined)
    query = query.where((e) =>
      e(
        e.refTuple('createdAt', 'sid'),
        cursor.side === 'after' ? '<' : '>',
        e.tuple(cursor.at, cursor.sid),
      ),
    )
  return query
}

/** Returns the equalities of a filter, the most selective first; the first one chooses the index. */
function equalitiesOf(filter: CallFilter) {
  return (
    [
      ['parentCallSid', '=', filter.parentCallSid],
      ['toAddress', '=', filter.to],
      ['fromAddress', '=', filter.from],
      ['status', '=', filter.status],
    ] as const
  ).flatMap(([column, operator, value]) =>
    value === undefined ? [] : [[column, operator, value] as const],
  )
}

/** Returns the conditions of a filter that `candidates` does not check. */
function restOf(filter: CallFilter) {
  const times = [
    ['startedAt', '>=', filter.startedFrom],
    ['startedAt', '<', filter.startedBefore],
    ['endedAt', '>=', filter.endedFrom],
    ['endedAt', '<', filter.endedBefore],
  ] as const
  return [
    ...equalitiesOf(filter).slice(1),
    ...times.flatMap(([column, operator, value]) =>
      value === undefined ? [] : [[column, operator, value] as const],
    ),
  ]
}

/** A half-open range of creation times. */
interface CreatedRange {
  readonly from?: number
  readonly before?: number
}

/** Returns the creation times of calls that match the time ranges and did not end late. */
function createdRange(filter: CallFilter): CreatedRange {
  const { startedFrom, endedFrom, startedBefore, endedBefore } = filter
  const froms = [
    ...(startedFrom === undefined ? [] : [startedFrom - MAX_UNTIL_STARTED_MS]),
    ...(endedFrom === undefined ? [] : [endedFrom - ENDED_LATE_MS]),
  ]
  const befores = [startedBefore, endedBefore].flatMap((time) =>
    time === undefined ? [] : [time + CLOCK_SLACK_MS],
  )
  return {
    ...(froms.length === 0 ? {} : { from: Math.max(...froms) }),
    ...(befores.length === 0 ? {} : { before: Math.min(...befores) }),
  }
}

/** Returns the creation times of calls that match a filter by end time only because they ended late. */
function lateRange({ endedFrom, ...others }: CallFilter): CreatedRange | undefined {
  if (endedFrom === undefined) return undefined
  const range = createdRange(others)
  const before = endedFrom - ENDED_LATE_MS
  return range.from !== undefined && range.from >= before ? undefined : { ...range, before }
}
