/** Applies an event to a stored message: new state and consequences, in one transaction. */
import type { Ledger } from '../../ledger/ledger.js'
import { release } from '../../ledger/reservations.js'
import type { Writer } from '../../platform/database/database.js'
import type { NewCallback } from '../../platform/outbox/callback.js'
import type { Enqueue } from '../../platform/outbox/transactional-outbox.js'
import type { WebhookParams } from '../../platform/webhooks/signature.js'
import {
  type MessageEffect,
  type MessageEvent,
  type MessageLife,
  step,
} from '../message-machine.js'
import type { MessageRecord } from '../message-record.js'
import type { ReceiptState } from '../receipt-state.js'
import { changeMessage } from '../storage/message-storage.js'
import { partStates } from '../storage/part-storage.js'
import { leaveQueue } from '../storage/queue-storage.js'

/** Error number of a failure without a stored one. */
const UNKNOWN_FAILURE = 30008

export interface EventScope {
  readonly tx: Writer
  readonly enqueue: Enqueue<NewCallback>
  readonly ledger: Pick<Ledger, 'post'>
  readonly now: number
}

/** API version in the callback parameters. */
const API_VERSION = '2010-04-01'

/** Resolves with the changed message; undefined when the event changes nothing. */
export async function applyEvent(
  scope: EventScope,
  message: MessageRecord,
  event: MessageEvent,
): Promise<MessageRecord | undefined> {
  const { tx, now } = scope
  const parts = message.status === 'sent' ? await partStates(tx, message.sid) : []
  const life = lifeOf(message, parts)
  const { state, effects } = step(life, event)
  if (state === life) return undefined
  const does = (effect: MessageEffect['type']) => effects.some(({ type }) => type === effect)
  const isCharged = does('charge')
  const changed = changedBy(message, state, isCharged, now)
  const isStored = await changeMessage(tx, message, {
    status: changed.status,
    errorCode: changed.errorCode ?? null,
    price: changed.price ?? null,
    sentAt: changed.sentAt ?? null,
    updatedAt: now,
  })
  if (!isStored) return undefined
  if (changed.status !== 'queued') await leaveQueue(tx, message.sid)
  if (isCharged || does('return-money')) await settleMoney(scope, changed, isCharged)
  if (effects.some(({ type }) => type === 'report')) await scope.enqueue(statusCallbacksOf(changed))
  return changed
}

/** Returns the callback for the message's current status; none when no callback is wanted. */
function statusCallbacksOf(message: MessageRecord): readonly NewCallback[] {
  const { accountSid, sid, status, statusCallback } = message
  if (statusCallback === undefined) return []
  const { url, method } = statusCallback
  const params: WebhookParams = [
    ['MessageSid', sid],
    ['MessageStatus', status],
    ['SmsSid', sid],
    ['SmsStatus', status],
    ['AccountSid', accountSid],
    ['From', message.from],
    ['To', message.to],
    ['ApiVersion', API_VERSION],
    ...(message.applicationSid === undefined
      ? []
      : [['ApplicationSid', message.applicationSid] as const]),
    ...(message.errorCode === undefined ? [] : [['ErrorCode', String(message.errorCode)] as const]),
  ]
  return [{ stream: sid, accountSid, kind: 'message-status', url, method, params }]
}

function changedBy(
  message: MessageRecord,
  state: MessageLife,
  isCharged: boolean,
  now: number,
): MessageRecord {
  return {
    ...message,
    status: state.state,
    errorCode: 'errorCode' in state ? state.errorCode : undefined,
    price: isCharged ? message.cost : message.price,
    sentAt: isCharged ? now : message.sentAt,
    updatedAt: now,
  }
}

function lifeOf(message: MessageRecord, parts: readonly ReceiptState[]): MessageLife {
  const { status } = message
  if (status === 'sent') return { state: status, parts }
  if (status === 'failed' || status === 'undelivered')
    return { state: status, errorCode: message.errorCode ?? UNKNOWN_FAILURE }
  return { state: status }
}

async function settleMoney(
  { tx, ledger, now }: EventScope,
  message: MessageRecord,
  isCharged: boolean,
): Promise<void> {
  const { sid, cost } = message
  if (cost === 0) return
  await release(tx, sid)
  if (!isCharged) return
  await ledger.post(tx, {
    key: `message:${sid}`,
    accountSid: message.accountSid,
    billedSid: message.billedSid,
    cause: 'message',
    kind: 'outbound',
    reference: sid,
    amount: -cost,
    description: `Message ${message.from} to ${message.to}`,
    at: now,
  })
}
