import { urlAtRest } from '../../platform/database/at-rest.js'
import type { Reader, Writer } from '../../platform/database/database.js'
import { columnsOf, fieldsOf } from '../../platform/database/fields.js'
import {
  listNewestFirst,
  type Page,
  type PageRequest,
} from '../../platform/database/newest-first.js'
import type { Selectable, Written } from '../../platform/database/tables.js'
import type { MessageRecord, MessageStatus } from '../message-record.js'
import type { MessagesTable } from '../tables.js'
import type { StoppableSender } from './opt-out-storage.js'

/** More than the longest time between the making of a message and its sending, in schedule and queue. */
const MAX_WAIT_MS = 40 * 86_400_000

export interface MessageFilter {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly status?: MessageStatus | undefined
  /** The start of the time of sending, included; epoch milliseconds. The end is not included. */
  readonly sentFrom?: number | undefined
  readonly sentBefore?: number | undefined
}

export async function insertMessage(tx: Writer, message: MessageRecord): Promise<void> {
  await tx.insertInto('messages').values(toRow(message)).execute()
}

/** Changes a message that is in this status; false when it is in another, or gone. */
export async function changeMessage(
  tx: Writer,
  { sid, status }: Pick<MessageRecord, 'sid' | 'status'>,
  change: Partial<
    Pick<
      MessagesTable,
      'status' | 'errorCode' | 'price' | 'sentAt' | 'body' | 'numMedia' | 'updatedAt'
    >
  >,
): Promise<boolean> {
  const changed = await tx
    .updateTable('messages')
    .set(change)
    .where('sid', '=', sid)
    .where('status', '=', status)
    .executeTakeFirst()
  return changed.numUpdatedRows > 0n
}

export async function deleteMessage(
  tx: Writer,
  { sid, status }: Pick<MessageRecord, 'sid' | 'status'>,
): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('messages')
    .where('sid', '=', sid)
    .where('status', '=', status)
    .executeTakeFirst()
  return deleted.numDeletedRows > 0n
}

/** The message of that sid; with an account, only one of it. */
export async function findMessage(
  read: Reader,
  sid: string,
  accountSid?: string,
): Promise<MessageRecord | undefined> {
  let query = read.selectFrom('messages').selectAll().where('sid', '=', sid)
  if (accountSid !== undefined) query = query.where('accountSid', '=', accountSid)
  const row = await query.executeTakeFirst()
  return row && toMessage(row)
}

/** The messages of an account, newest first. */
export async function listMessages(
  read: Reader,
  accountSid: string,
  filter: MessageFilter,
  request: PageRequest,
): Promise<Page<MessageRecord>> {
  const { from, to, status, sentFrom, sentBefore } = filter
  let matching = read.selectFrom('messages').selectAll().where('accountSid', '=', accountSid)
  if (from !== undefined) matching = matching.where('fromNumber', '=', from)
  if (to !== undefined) matching = matching.where('toNumber', '=', to)
  if (status !== undefined) matching = matching.where('status', '=', status)
  if (sentFrom !== undefined) matching = matching.where('sentAt', '>=', sentFrom)
  if (sentBefore !== undefined) matching = matching.where('sentAt', '<', sentBefore)
  // A message is sent after it was made, and not long after: the index is read for that time alone.
  // With a recipient its own index is the better one, which SQLite leaves for a range of times.
  if (to === undefined && sentFrom !== undefined)
    matching = matching.where('createdAt', '>=', sentFrom - MAX_WAIT_MS)
  if (to === undefined && sentBefore !== undefined)
    matching = matching.where('createdAt', '<', sentBefore)
  const page = await listNewestFirst({ read, matching }, request)
  return { ...page, items: page.items.map(toMessage) }
}

/** The messages to a recipient that wait, of one campaign and of the number itself. */
export async function waitingMessages(
  read: Reader,
  { scope, number }: Pick<StoppableSender, 'scope' | 'number'>,
  recipient: string,
): Promise<readonly MessageRecord[]> {
  const waiting = read
    .selectFrom('message_queue')
    .innerJoin('messages', 'messages.sid', 'message_queue.sid')
    .selectAll('messages')
  const ofScope = await waiting
    .where('message_queue.scope', '=', scope)
    .where('message_queue.recipient', '=', recipient)
    .orderBy('message_queue.id')
    .execute()
  // The number may have been under another campaign when they were made.
  const ofNumber = await waiting
    .where('message_queue.pair', '=', `${number}>${recipient}`)
    .where('message_queue.scope', '<>', scope)
    .orderBy('message_queue.dueAt')
    .execute()
  return [...ofScope, ...ofNumber].map(toMessage)
}

/** Counts the answers to keywords that the sender of a message was given since then. */
export async function countKeywordAnswers(
  read: Reader,
  { accountSid, from, to }: Pair,
  since: number,
): Promise<number> {
  const { count } = await countedBetween(read, { accountSid, from: to, to: from }, since)
    .where('isKeywordAnswer', '=', 1)
    .executeTakeFirstOrThrow()
  return count
}

/** Counts the replies from one number to another since then. */
export async function countReplies(read: Reader, pair: Pair, since: number): Promise<number> {
  const { count } = await countedBetween(read, pair, since)
    .where('direction', '=', 'outbound-reply')
    .executeTakeFirstOrThrow()
  return count
}

type Pair = Pick<MessageRecord, 'accountSid' | 'from' | 'to'>

function countedBetween(read: Reader, { accountSid, from, to }: Pair, since: number) {
  return read
    .selectFrom('messages')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('accountSid', '=', accountSid)
    .where('fromNumber', '=', from)
    .where('toNumber', '=', to)
    .where('createdAt', '>', since)
}

function toRow(message: MessageRecord): Written<MessagesTable> {
  const { from: fromNumber, to: toNumber, statusCallback, ...plain } = message
  return columnsOf(plain, {
    fromNumber,
    toNumber,
    isKeywordAnswer: Number(message.isKeywordAnswer),
    statusCallback: urlAtRest(statusCallback?.url),
    statusCallbackMethod: statusCallback?.method ?? 'POST',
  })
}

export function toMessage({
  fromNumber: from,
  toNumber: to,
  statusCallback: url,
  statusCallbackMethod: method,
  ...row
}: Selectable<MessagesTable>): MessageRecord {
  return fieldsOf(row, {
    from,
    to,
    isKeywordAnswer: row.isKeywordAnswer === 1,
    statusCallback: url === null ? undefined : { url, method },
  })
}
