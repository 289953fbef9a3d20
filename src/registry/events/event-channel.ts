import type { Database, Writer } from '../../platform/database/database.js'
import type { Outbound } from '../../platform/http/outbound.js'
import type { Channel, Delivery, NextAttemptAt } from '../../platform/outbox/channel.js'
import type { Mark, OutboxRow } from '../../platform/outbox/outbox-row.js'
import {
  postEvent,
  type SignatureHeader,
  signedHeaders,
} from '../../platform/outbox/signed-event.js'
import type { Vault } from '../../platform/secrets.js'
import type { RegistryClock } from '../model/core.js'
import { type SubscribedEvent, streamOf } from '../model/core.js'
import { bodyOfEvent, insertAttempt, saveDeliveryState } from '../storage/events.js'
import { findSubscription } from '../storage/subscriptions.js'

/** Delay after each failed attempt, minutes. It varies by ten per cent, to spread retries over time. */
const RETRY_MINUTES = [1, 5, 30, 120, 360, 1_440]
const JITTER = 0.1
const MINUTE_MS = 60_000

export interface EventChannelDeps {
  readonly db: Database
  readonly vault: Vault
  readonly clock: RegistryClock
  readonly outbound: Outbound
  readonly signatures: readonly SignatureHeader[]
}

/**
 * Delivers each event to the subscription's current endpoint. Any 2xx is success; every other
 * answer is retried. Each attempt is stored. After a crash between the subscriber's 200 and the
 * commit, the event is delivered again with the same `X-Trunkline-Event-Id`.
 */
export function createEventChannel(deps: EventChannelDeps): Channel<SubscribedEvent> {
  return {
    name: 'registry-event',
    toRow: ({ eventId, type, cspId, category, accountSid }) => ({
      stream: streamOf(cspId, category),
      accountSid,
      kind: type,
      payload: { cspId, category },
      idempotencyToken: eventId,
    }),
    deliver: (row, signal) => deliver(row, signal, deps),
    nextAttemptAt: retryAt,
    onMarked: (tx, mark) => recordAttempt(tx, mark, deps.clock.now()),
  }
}

const retryAt: NextAttemptAt = ({ attempts }, now, random) => {
  const minutes = RETRY_MINUTES[attempts - 1]
  if (minutes === undefined) return undefined
  return Math.round(now + minutes * MINUTE_MS * (1 + (random * 2 - 1) * JITTER))
}

async function deliver(
  row: OutboxRow,
  signal: AbortSignal,
  { db, vault, clock, outbound, signatures }: EventChannelDeps,
): Promise<Delivery> {
  // `toRow` is the only writer of this JSON.
  const { cspId, category } = row.payload as Pick<SubscribedEvent, 'cspId' | 'category'>
  const subscription = await findSubscription(db.read, cspId, category)
  if (subscription === undefined)
    return { type: 'refused', status: undefined, error: 'the subscription is gone' }
  const body = await bodyOfEvent(db.read, row.idempotencyToken)
  const secret = vault.open(subscription.secretSealed)
  const headers = {
    ...signedHeaders(body, secret, clock.now(), signatures),
    'X-Trunkline-Event-Id': row.idempotencyToken,
    'X-Trunkline-Attempt': String(row.attempts + 1),
  }
  const answer = await postEvent(outbound, { url: subscription.endpoint, body, headers }, signal)
  if (signal.aborted) return { type: 'aborted' }
  const isDelivered = answer.status !== undefined && answer.status >= 200 && answer.status < 300
  return { ...answer, type: isDelivered ? 'delivered' : 'failed' }
}

async function recordAttempt(tx: Writer, { row, result, state }: Mark, now: number): Promise<void> {
  const eventId = row.idempotencyToken
  await saveDeliveryState(tx, eventId, state === 'aside' ? 'pending' : state)
  const { endpoint, status, error, durationMs } = result
  if (endpoint === undefined) return
  await insertAttempt(tx, {
    eventId,
    attempt: row.attempts + 1,
    at: now,
    endpoint,
    status: status ?? null,
    error: error ?? null,
    durationMs: durationMs ?? 0,
  })
}
