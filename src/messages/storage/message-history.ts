import type { Reader } from '../../platform/database/database.js'
import type { KeysetPage } from '../../platform/database/oldest-first.js'
import type { MessageRecord } from '../message-record.js'
import { toMessage } from './message-storage.js'

/** The messages of one number in a window of time, the end not included. */
export interface NumberHistory {
  readonly number: string
  readonly from: number
  readonly before: number
  /** Only texts, or only messages with media; undefined: both. */
  readonly kind?: 'sms' | 'mms'
}

/** The messages that an account has sent from a number, newest first. */
export async function messagesSent(
  read: Reader,
  accountSid: string,
  wanted: NumberHistory,
  page: KeysetPage,
): Promise<readonly MessageRecord[]> {
  const rows = await inWindow(read, accountSid, wanted, page)
    .where('fromNumber', '=', wanted.number)
    .where('direction', '<>', 'inbound')
    .execute()
  return rows.map(toMessage)
}

/** The messages that have come in to a number of an account, newest first. */
export async function messagesTaken(
  read: Reader,
  accountSid: string,
  wanted: NumberHistory,
  page: KeysetPage,
): Promise<readonly MessageRecord[]> {
  const rows = await inWindow(read, accountSid, wanted, page)
    .where('toNumber', '=', wanted.number)
    .where('direction', '=', 'inbound')
    .execute()
  return rows.map(toMessage)
}

function inWindow(
  read: Reader,
  accountSid: string,
  { from, before, kind }: NumberHistory,
  { limit, after }: KeysetPage,
) {
  let all = read
    .selectFrom('messages')
    .selectAll()
    .where('accountSid', '=', accountSid)
    .where('createdAt', '>=', from)
    .where('createdAt', '<', before)
    .orderBy('createdAt', 'desc')
    .orderBy('sid', 'desc')
    .limit(limit)
  if (after !== undefined)
    all = all.where((row) =>
      row(row.refTuple('createdAt', 'sid'), '<', row.tuple(after.at, after.sid)),
    )
  // The sid tells the kind, whatever was deleted of the message later.
  return kind === undefined ? all : all.where('sid', 'like', kind === 'mms' ? 'MM%' : 'SM%')
}
