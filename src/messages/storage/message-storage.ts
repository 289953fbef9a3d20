import { urlAtRest } from '../../platform/database/at-rest.js'
import type { Reader, Writer } from '../../platform/database/database.js'
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
      'status' | 'error_code' | 'price' | 'sent_at' | 'body' | 'num_media' | 'updated_at'
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
  if (accountSid !== undefined) query = query.where('account_sid', '=', accountSid)
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
  let matching = read.selectFrom('messages').selectAll().where('account_sid', '=', accountSid)
  if (from !== undefined) matching = matching.where('from_number', '=', from)
  if (to !== undefined) matching = matching.where('to_number', '=', to)
  if (status !== undefined) matching = matching.where('status', '=', status)
  if (sentFrom !== undefined) matching = matching.where('sent_at', '>=', sentFrom)
  if (sentBefore !== undefined) matching = matching.where('sent_at', '<', sentBefore)
  // A message is sent after it was made, and not long after: the index is read for that time alone.
  // With a recipient its own index is the better one, which SQLite leaves for a range of times.
  if (to === undefined && sentFrom !== undefined)
    matching = matching.where('created_at', '>=', sentFrom - MAX_WAIT_MS)
  if (to === undefined && sentBefore !== undefined)
    matching = matching.where('created_at', '<', sentBefore)
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
    .orderBy('message_queue.due_at')
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
    .where('is_keyword_answer', '=', 1)
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
    .where('account_sid', '=', accountSid)
    .where('from_number', '=', from)
    .where('to_number', '=', to)
    .where('created_at', '>', since)
}

function toRow(message: MessageRecord): Written<MessagesTable> {
  return {
    sid: message.sid,
    account_sid: message.accountSid,
    direction: message.direction,
    from_number: message.from,
    to_number: message.to,
    body: message.body,
    segments: message.segments,
    subject: message.subject ?? null,
    num_media: message.numMedia,
    status: message.status,
    error_code: message.errorCode ?? null,
    price: message.price ?? null,
    cost: message.cost,
    billed_sid: message.billedSid,
    scope: message.scope,
    is_keyword_answer: Number(message.isKeywordAnswer),
    status_callback: urlAtRest(message.statusCallback?.url),
    status_callback_method: message.statusCallback?.method ?? 'POST',
    application_sid: message.applicationSid ?? null,
    send_at: message.sendAt ?? null,
    expires_at: message.expiresAt,
    sent_at: message.sentAt ?? null,
    created_at: message.createdAt,
    updated_at: message.updatedAt,
  }
}

export function toMessage(row: Selectable<MessagesTable>): MessageRecord {
  const { status_callback: url, status_callback_method: method } = row
  return {
    sid: row.sid,
    accountSid: row.account_sid,
    direction: row.direction,
    from: row.from_number,
    to: row.to_number,
    body: row.body,
    segments: row.segments,
    subject: row.subject ?? undefined,
    numMedia: row.num_media,
    status: row.status,
    errorCode: row.error_code ?? undefined,
    price: row.price ?? undefined,
    cost: row.cost,
    billedSid: row.billed_sid,
    scope: row.scope,
    isKeywordAnswer: row.is_keyword_answer === 1,
    statusCallback: url === null ? undefined : { url, method },
    applicationSid: row.application_sid ?? undefined,
    sendAt: row.send_at ?? undefined,
    expiresAt: row.expires_at,
    sentAt: row.sent_at ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
