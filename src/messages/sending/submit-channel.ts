/**
 * The outbox channel that submits messages to the carrier. Its streams are pairs of numbers, so that messages
 * of a pair are submitted one after the other, each after the answer to the one before.
 */
import { statusOfAccount } from '../../accounts/account-status.js'
import type { Ledger } from '../../ledger/ledger.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import { StorageBusyError } from '../../platform/database/storage-error.js'
import type { Logger } from '../../platform/log.js'
import type { CallbackOutbox } from '../../platform/outbox/callback.js'
import type { Channel, Delivery } from '../../platform/outbox/channel.js'
import { nextAttemptAt, type RetrySchedule } from '../../platform/outbox/retry-schedule.js'
import type { MaySend } from '../../registry/registry.js'
import type { MessageCarrier, SubmitOutcome } from '../carrier.js'
import { gatherMedia } from '../media/gather-media.js'
import type { MediaStore } from '../media/media-store.js'
import type { MessageEvent } from '../message-machine.js'
import type { MessageRecord } from '../message-record.js'
import { type OperatorLookup, UNKNOWN_OPERATORS } from '../operator-lookup.js'
import { segmentText } from '../segments/segment-text.js'
import { findMessage } from '../storage/message-storage.js'
import { hasOptedOut, optOut } from '../storage/opt-out-storage.js'
import { insertParts, setPartState, takeEarlyReceipt } from '../storage/part-storage.js'
import { applyEvent } from './apply-event.js'
import { type Carriers, carrierOf, uncarried } from './carrier-of.js'
import { authorizeSender, stoppableBy } from './sender.js'

export interface SubmitDeps extends Carriers {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly ledger: Pick<Ledger, 'post'>
  readonly callbacks: CallbackOutbox
  readonly mediaStore: MediaStore
  readonly maySend: MaySend
  /** Finds the operators of destinations; none is known without it. */
  readonly operators?: OperatorLookup
}

/** A message that was released from the queue. */
export interface ReleasedMessage {
  readonly sid: string
  readonly accountSid: string
  readonly pair: string
}

/** A busy carrier is retried for as long as the message is valid. */
const SCHEDULE: RetrySchedule = {
  firstDelayMs: 1_000,
  maxDelayMs: 60_000,
  horizonMs: Number.POSITIVE_INFINITY,
}
const UNSUBSCRIBED = 21610
const SUSPENDED = 30002
/** Error numbers of messages that a changed carrier no longer supports. */
const UNCARRIED = { media: 30011, 'short-code': 30005 } as const
const SETTLED: Delivery = { type: 'delivered', status: undefined, error: undefined }

export function createSubmitChannel(deps: SubmitDeps): Channel<ReleasedMessage> {
  return {
    name: 'message',
    toRow: ({ sid, accountSid, pair }) => ({
      stream: `message ${pair}`,
      accountSid,
      kind: 'message',
      payload: { sid },
    }),
    deliver: async (row, signal) => {
      const { sid } = row.payload as { readonly sid: string } // as `toRow` has written it
      const message = await findMessage(deps.db.read, sid)
      // It was deleted, or an earlier attempt was stored before its row was marked.
      if (message?.status !== 'sending') return SETTLED
      const verdict = await judge(message, deps)
      if (verdict.type === 'refused') {
        await settle(message, verdict, deps)
        return SETTLED
      }
      return await submit(message, carrierOf(verdict.routeOut, deps, message), signal, deps)
    },
    nextAttemptAt: (row, now, random) => nextAttemptAt(SCHEDULE, row, now, random),
  }
}

type Verdict =
  | { readonly type: 'allowed'; readonly routeOut: string | undefined }
  | { readonly type: 'refused'; readonly errorCode: number }

const refused = (errorCode: number): Verdict => ({ type: 'refused', errorCode })

/** Decides whether a message may still be sent, and by which route. */
async function judge(
  message: MessageRecord,
  { db, clock, maySend, operators = UNKNOWN_OPERATORS }: SubmitDeps,
): Promise<Verdict> {
  if (clock.now() > message.expiresAt) return refused(30036)
  const kind = message.numMedia > 0 ? 'mms' : 'sms'
  const { accountSid, from } = message
  // Whoever sends STOP is told that it holds, as for a number that may not send.
  if (!message.isKeywordAnswer && (await statusOfAccount(db.read, accountSid)) !== 'active')
    return refused(SUSPENDED)
  const operator = await operators.operatorOf(message.to)
  const verdict = await authorizeSender(db.read, maySend, { accountSid, from, kind, operator })
  if (verdict.type === 'allowed') {
    const { routeOut, scope } = verdict.sender
    const sender = stoppableBy({ ...message, scope })
    const isHeldBack = !message.isKeywordAnswer && (await hasOptedOut(db.read, sender, message.to))
    return isHeldBack ? refused(UNSUBSCRIBED) : { type: 'allowed', routeOut }
  }
  if (message.isKeywordAnswer) return { type: 'allowed', routeOut: undefined }
  return refused(verdict.type === 'not-capable' ? 21606 : 30034)
}

async function submit(
  message: MessageRecord,
  carrier: MessageCarrier,
  signal: AbortSignal,
  deps: SubmitDeps,
): Promise<Delivery> {
  const outcome = await attempt(() => gatherAndSubmit(message, carrier, signal, deps))
  switch (outcome.type) {
    case 'accepted': {
      // Parts with one id have one receipt.
      const ids = [...new Set(outcome.ids)]
      await settleAccepted(message, { carrier: carrier.name, ids }, signal, deps)
      return SETTLED
    }
    case 'refused':
      await settle(message, outcome, deps)
      return SETTLED
    case 'busy':
      if (signal.aborted) return { type: 'aborted' }
      deps.log.info({ sid: message.sid, reason: outcome.reason }, 'could not submit a message yet')
      return { type: 'failed', status: undefined, error: outcome.reason }
  }
}

/** Submits the message once its media are stored. */
async function gatherAndSubmit(
  message: MessageRecord,
  carrier: MessageCarrier,
  signal: AbortSignal,
  deps: SubmitDeps,
): Promise<SubmitOutcome> {
  const missing = uncarried(carrier, message)
  if (missing !== undefined) return { type: 'refused', errorCode: UNCARRIED[missing] }
  const gathered = await gatherMedia(message, deps, signal)
  if (gathered.type === 'busy') return gathered
  const { failed, media } = gathered
  if (failed[0] !== undefined) return { type: 'refused', errorCode: failed[0].errorCode }
  const { sid, from, to, body, subject } = message
  const { encoding, segments } = segmentText(body)
  const parts = message.numMedia > 0 ? [body] : segments
  return await carrier.submit({ sid, from, to, encoding, segments: parts, subject, media }, signal)
}

async function attempt(send: () => Promise<SubmitOutcome>): Promise<SubmitOutcome> {
  try {
    return await send()
  } catch (error) {
    return { type: 'busy', reason: error instanceof Error ? error.message : 'unknown' }
  }
}

/** The carrier's ids for the parts of a message. */
interface TakenParts {
  readonly carrier: string
  readonly ids: readonly string[]
}

const NO_PARTS: TakenParts = { carrier: '', ids: [] }

/** Maximum attempts to store a carrier's answer while the database is too busy. */
const SETTLE_TRIES = 20

/**
 * Stores that a carrier has accepted the message. Retries while the database is too busy, since the message
 * must not be submitted a second time.
 */
async function settleAccepted(
  message: MessageRecord,
  taken: TakenParts,
  signal: AbortSignal,
  deps: SubmitDeps,
): Promise<void> {
  const event: MessageEvent = { type: 'accepted', parts: taken.ids.length }
  for (let tries = 1; ; tries += 1) {
    try {
      await settle(message, event, deps, taken)
      return
    } catch (error) {
      if (!(error instanceof StorageBusyError) || tries >= SETTLE_TRIES || signal.aborted)
        throw error
      deps.log.info({ sid: message.sid, tries }, 'stores the answer of a carrier again')
    }
  }
}

/** Stores the carrier's answer, with the receipts that arrived before it. */
async function settle(
  { sid }: MessageRecord,
  event: MessageEvent,
  { callbacks, clock, ledger }: SubmitDeps,
  { carrier, ids }: TakenParts = NO_PARTS,
): Promise<void> {
  const now = clock.now()
  await callbacks.commit(async (tx, enqueue) => {
    const message = await findMessage(tx, sid)
    if (message === undefined) return
    // A carrier may have received STOP itself: its refusal is then an opt-out.
    if (event.type === 'refused' && event.errorCode === UNSUBSCRIBED)
      await optOut(tx, stoppableBy(message), message.to, now)
    if (ids.length > 0) await insertParts(tx, sid, carrier, ids)
    const scope = { tx, enqueue, ledger, now }
    let changed = await applyEvent(scope, message, event)
    for (const [part, id] of ids.entries()) {
      const state = await takeEarlyReceipt(tx, carrier, id, message.to)
      if (state === undefined || changed === undefined) continue
      changed = (await applyEvent(scope, changed, { type: 'receipt', part, state })) ?? changed
      await setPartState(tx, { sid, part }, state)
    }
  })
}
