/** The rooms of an account, newest first, a page at a time, from an index. */
import type { Reader } from '../../platform/database/database.js'
import { type ConferenceRecord, toConferenceRecord } from './conference-record.js'

export interface ConferenceFilter {
  readonly friendlyName?: string | undefined
  readonly status?: ConferenceRecord['status'] | undefined
  /** Half-open ranges of epoch milliseconds. */
  readonly createdFrom?: number | undefined
  readonly createdBefore?: number | undefined
  readonly updatedFrom?: number | undefined
  readonly updatedBefore?: number | undefined
}

export interface ConferencePageRequest {
  readonly limit: number
  /** For when there is no cursor. */
  readonly offset: number
  /** Older than this room (`after` it in the list), or newer. */
  readonly cursor?: { readonly side: 'after' | 'before'; readonly sid: string } | undefined
}

export interface ConferencePage {
  readonly conferences: readonly ConferenceRecord[]
  /** Of all pages: at least so many, and exact up to `MAX_COUNTED`. */
  readonly total: number
  readonly nextAfter: string | undefined
}

const MAX_COUNTED = 1_000

export async function listConferences(
  read: Reader,
  accountSid: string,
  filter: ConferenceFilter,
  page: ConferencePageRequest,
): Promise<ConferencePage> {
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
  const shown = rows.slice(0, page.limit).map(toConferenceRecord)
  if (order === 'asc') shown.reverse()
  const hasMore = order === 'asc' || rows.length > page.limit
  const counted = await countConferences(read, accountSid, filter)
  const seen = shown.length === 0 ? 0 : page.offset + shown.length + (hasMore ? 1 : 0)
  return {
    conferences: shown,
    total: Math.max(counted, seen),
    nextAfter: hasMore ? shown.at(-1)?.sid : undefined,
  }
}

function matching(read: Reader, accountSid: string, filter: ConferenceFilter) {
  const { friendlyName, status, createdFrom, createdBefore, updatedFrom, updatedBefore } = filter
  let query = read.selectFrom('conferences').where('account_sid', '=', accountSid)
  if (friendlyName !== undefined) query = query.where('friendly_name', '=', friendlyName)
  if (status !== undefined) query = query.where('status', '=', status)
  if (createdFrom !== undefined) query = query.where('created_at', '>=', createdFrom)
  if (createdBefore !== undefined) query = query.where('created_at', '<', createdBefore)
  if (updatedFrom !== undefined) query = query.where('updated_at', '>=', updatedFrom)
  if (updatedBefore !== undefined) query = query.where('updated_at', '<', updatedBefore)
  return query
}

async function countConferences(
  read: Reader,
  accountSid: string,
  filter: ConferenceFilter,
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
  wanted: ConferencePageRequest['cursor'],
) {
  if (wanted === undefined) return undefined
  const row = await read
    .selectFrom('conferences')
    .select('created_at')
    .where('sid', '=', wanted.sid)
    .where('account_sid', '=', accountSid)
    .executeTakeFirst()
  return row === undefined ? undefined : { ...wanted, createdAt: row.created_at }
}
