import { compiledOnce } from '../../platform/database/compiled-once.js'
import type { Database, Reader, Writer } from '../../platform/database/database.js'
import type { Insertable } from '../../platform/database/tables.js'
import type { RecordedEvent } from './call-event.js'
import type { CallEventsTable } from './tables.js'

/**
 * Name of the lock that commits of events take. It makes ids grow in commit order across nodes, so
 * a reader that continues after an id misses no event.
 */
const TURN = 'call events'
/** Numbers of rows per insert statement; one statement is prepared for each. */
const SIZES = [64, 8, 1] as const

/** A stored event; a later commit has a higher `id`. */
export interface StoredEvent extends RecordedEvent {
  readonly id: number
}

/** Where a page starts: after an event, before an event, or at an offset from the oldest. */
export type EventCursor =
  | { readonly type: 'after'; readonly id: number }
  | { readonly type: 'before'; readonly id: number }
  | { readonly type: 'offset'; readonly offset: number }

export interface EventPage {
  readonly events: readonly StoredEvent[]
  readonly total: number
  readonly hasMore: boolean
}

type EventRow = Insertable<CallEventsTable>

/** Stores the events of one commit. */
export async function storeEvents(db: Database, rows: readonly EventRow[]): Promise<void> {
  await db.writeInTurn(TURN, async (tx) => {
    let start = 0
    for (const { size, insert } of INSERTS)
      for (; start + size <= rows.length; start += size)
        await insert(tx, valuesOf(rows.slice(start, start + size)))
  })
}

const COLUMNS = ['callSid', 'accountSid', 'node', 'at', 'kind', 'detail'] as const

/** Column values of several rows, by column and row number. */
type Values = Readonly<Record<string, EventRow[(typeof COLUMNS)[number]]>>

const INSERTS = SIZES.map((size) => {
  const places = Array.from({ length: size }, (_, place) => place)
  const names = places.flatMap((place) => COLUMNS.map((column) => nameOf(column, place)))
  const insert = compiledOnce<Values>(names, (db, values) =>
    // Each placeholder may stand for a value of any type.
    db.insertInto('call_events').values(places.map((place) => rowAt(values, place) as EventRow)),
  )
  return { size, insert }
})

function valuesOf(rows: readonly EventRow[]): Values {
  const values: Record<string, Values[string]> = {}
  for (const [place, row] of rows.entries())
    for (const column of COLUMNS) values[nameOf(column, place)] = row[column]
  return values
}

function rowAt(values: Values, place: number) {
  return Object.fromEntries(COLUMNS.map((column) => [column, values[nameOf(column, place)]]))
}

function nameOf(column: string, place: number): string {
  return `${column} ${place}`
}

/** Returns the id of the newest event; 0 when there is none. */
export async function lastEventId(read: Reader): Promise<number> {
  const row = await read
    .selectFrom('call_events')
    .select((each) => each.fn.max<number | null>('id').as('last'))
    .executeTakeFirst()
  return row?.last ?? 0
}

/** Returns the oldest events of all calls with an id above the given one. */
export async function eventsAfter(
  read: Reader,
  id: number,
  limit: number,
): Promise<readonly (StoredEvent & { readonly node: string })[]> {
  const rows = await read
    .selectFrom('call_events')
    .selectAll()
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...toStoredEvent(row), node: row.node }))
}

/** Lists a call's events, oldest first. The caller must have checked who owns the call. */
export async function listEvents(
  read: Reader,
  callSid: string,
  cursor: EventCursor,
  limit: number,
): Promise<EventPage> {
  const ofCall = read.selectFrom('call_events').where('callSid', '=', callSid)
  const isBackwards = cursor.type === 'before'
  let query = ofCall.selectAll().orderBy('id', isBackwards ? 'desc' : 'asc')
  if (cursor.type === 'after') query = query.where('id', '>', cursor.id)
  if (cursor.type === 'before') query = query.where('id', '<', cursor.id)
  if (cursor.type === 'offset') query = query.offset(cursor.offset)
  const rows = await query.limit(limit + 1).execute()
  const { total } = await ofCall
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const page = rows.slice(0, limit).map(toStoredEvent)
  return {
    events: isBackwards ? page.reverse() : page,
    total,
    // Paging backwards started at an event after this page, so there is more.
    hasMore: isBackwards || rows.length > limit,
  }
}

/** Returns the newest events of one kind, oldest first. The caller must have checked who owns the call. */
export async function eventsOfKind(
  read: Reader,
  callSid: string,
  kind: RecordedEvent['kind'],
  limit: number,
): Promise<readonly StoredEvent[]> {
  const rows = await read
    .selectFrom('call_events')
    .selectAll()
    .where('callSid', '=', callSid)
    .where('kind', '=', kind)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toStoredEvent).reverse()
}

/**
 * Deletes events older than `before`, among the `limit` oldest rows. Returns true when all of those
 * rows were deleted, so that there may be more.
 */
export async function removeEventsBefore(
  tx: Writer,
  before: number,
  limit: number,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('call_events')
    .where('id', 'in', (oldest) =>
      oldest.selectFrom('call_events').select('id').orderBy('id').limit(limit),
    )
    .where('at', '<', before)
    .executeTakeFirst()
  return Number(numDeletedRows) === limit
}

function toStoredEvent(row: {
  readonly id: number
  readonly callSid: string
  readonly accountSid: string
  readonly at: number
  readonly kind: string
  readonly detail: string
}): StoredEvent {
  return {
    id: row.id,
    callSid: row.callSid,
    accountSid: row.accountSid,
    at: row.at,
    // The log writes only its own kinds and JSON objects.
    kind: row.kind as RecordedEvent['kind'],
    detail: JSON.parse(row.detail) as RecordedEvent['detail'],
  }
}
