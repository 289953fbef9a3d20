import type { Reader } from '../../platform/database/database.js'
import type { MessageRecord } from '../message-record.js'
import { toMessage } from './message-storage.js'

/** The messages of one number in a window of time, the end not included. */
export interface NumberHistory {
  readonly number: string
  readonly from: number
  readonly before: number
}

/** The messages that an account has sent from a number, newest first. */
export async function messagesSent(
  read: Reader,
  accountSid: string,
  { number, from, before }: NumberHistory,
  limit: number,
): Promise<readonly MessageRecord[]> {
  const rows = await inWindow(read, accountSid, from, before, limit)
    .where('from_number', '=', number)
    .where('direction', '<>', 'inbound')
    .execute()
  return rows.map(toMessage)
}

/** The messages that have come in to a number of an account, newest first. */
export async function messagesTaken(
  read: Reader,
  accountSid: string,
  { number, from, before }: NumberHistory,
  limit: number,
): Promise<readonly MessageRecord[]> {
  const rows = await inWindow(read, accountSid, from, before, limit)
    .where('to_number', '=', number)
    .where('direction', '=', 'inbound')
    .execute()
  return rows.map(toMessage)
}

function inWindow(read: Reader, accountSid: string, from: number, before: number, limit: number) {
  return read
    .selectFrom('messages')
    .selectAll()
    .where('account_sid', '=', accountSid)
    .where('created_at', '>=', from)
    .where('created_at', '<', before)
    .orderBy('created_at', 'desc')
    .orderBy('sid', 'desc')
    .limit(limit)
}
