/** The recordings of an account, or of a call, newest first, a page at a time, each from an index. */
import type { Reader } from '../../platform/database/database.js'
import { type RecordingRecord, toRecordingRecord } from './recording-record.js'

export interface RecordingFilter {
  readonly callSid?: string | undefined
  readonly conferenceSid?: string | undefined
  /** A half-open range of epoch milliseconds. */
  readonly createdFrom?: number | undefined
  readonly createdBefore?: number | undefined
}

export interface RecordingPageRequest {
  readonly limit: number
  /** For when there is no cursor, or its recording has been deleted meanwhile. */
  readonly offset: number
  /** Older than this recording (`after` it in the list), or newer. */
  readonly cursor?: { readonly side: 'after' | 'before'; readonly sid: string } | undefined
}

export interface RecordingPage {
  readonly recordings: readonly RecordingRecord[]
  /** Of all pages: at least so many, and exact up to `MAX_COUNTED`. */
  readonly total: number
  readonly nextAfter: string | undefined
}

const MAX_COUNTED = 1_000

export async function listRecordings(
  read: Reader,
  accountSid: string,
  filter: RecordingFilter,
  page: RecordingPageRequest,
): Promise<RecordingPage> {
  const cursor = await findCursor(read, accountSid, page.cursor)
  const order = cursor?.side === 'before' ? 'asc' : 'desc'
  let query = matching(read, accountSid, filter).selectAll()
  if (cursor !== undefined)
    query = query.where((e) =>
      e(
        e.refTuple('created_at', 'sid'),
        cursor.side === 'after' ? '<' : '>',
        e.tuple(cursor.createdAt, cursor.sid),
      ),
    )
  const rows = await query
    .orderBy('created_at', order)
    .orderBy('sid', order)
    .limit(page.limit + 1)
    .offset(cursor === undefined ? page.offset : 0)
    .execute()
  const shown = rows.slice(0, page.limit).map(toRecordingRecord)
  if (order === 'asc') shown.reverse()
  const hasMore = order === 'asc' || rows.length > page.limit
  const counted = await countRecordings(read, accountSid, filter)
  const seen = shown.length === 0 ? 0 : page.offset + shown.length + (hasMore ? 1 : 0)
  return {
    recordings: shown,
    total: Math.max(counted, seen),
    nextAfter: hasMore ? shown.at(-1)?.sid : undefined,
  }
}

function matching(read: Reader, accountSid: string, filter: RecordingFilter) {
  let query = read.selectFrom('recordings').where('account_sid', '=', accountSid)
  if (filter.callSid !== undefined) query = query.where('call_sid', '=', filter.callSid)
  if (filter.conferenceSid !== undefined)
    query = query.where('conference_sid', '=', filter.conferenceSid)
  if (filter.createdFrom !== undefined) query = query.where('created_at', '>=', filter.createdFrom)
  if (filter.createdBefore !== undefined)
    query = query.where('created_at', '<', filter.createdBefore)
  return query
}

async function countRecordings(
  read: Reader,
  accountSid: string,
  filter: RecordingFilter,
): Promise<number> {
  const counted = matching(read, accountSid, filter).select('sid').limit(MAX_COUNTED)
  const row = await read
    .selectFrom(counted.as('counted'))
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return row.total
}

async function findCursor(
  read: Reader,
  accountSid: string,
  wanted: RecordingPageRequest['cursor'],
) {
  if (wanted === undefined) return undefined
  const row = await read
    .selectFrom('recordings')
    .select('created_at')
    .where('sid', '=', wanted.sid)
    .where('account_sid', '=', accountSid)
    .executeTakeFirst()
  return row === undefined ? undefined : { ...wanted, createdAt: row.created_at }
}
