/**
 * The outbox's channel that gives messages to the carrier. Its streams are pairs of numbers, so the
 * messages of a pair go one after the other, each by one node at a time, until the carrier has
 * answered.
 */
import type { Ledger } from '../../ledger/ledger.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/log.js'
import type { CallbackOutbox } from '../../platform/outbox/callback.js'
import type { Channel, Delivery } from '../../platform/outbox/channel.js'
import { nextAttemptAt, type RetrySchedule } from '../../platform/outbox/retry-schedule.js'
import type { MaySend } from '../../registry/registry.js'
import type { MessageCarrier, SubmitOutcome } from '../carrier.js'
import type { MessageEvent } from '../message-machine.js'
import type { MessageRecord } from '../message-record.js'
import { segmentText } from '../segments/segment-text.js'
import { findMessage } from '../storage/message-storage.js'
import { hasOptedOut } from '../storage/opt-out-storage.js'
import { insertParts, setPartState, takeEarlyReceipt } from '../storage/part-storage.js'
import { applyEvent } from './apply-event.js'
import { judgeSender } from './sender.js'

export interface SubmitDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly ledger: Pick<Ledger, 'post'>
  readonly callbacks: CallbackOutbox
  readonly carrier: MessageCarrier
  readonly maySend: MaySend
}

/** A message that has its turn. */
export interface ReleasedMessage {
  readonly sid: string
  readonly accountSid: string
  readonly pair: string
}

/** A busy carrier is asked again for as long as the message is valid. */
const SCHEDULE: RetrySchedule = {
  firstDelayMs: 1_000,
  maxDelayMs: 60_000,
  horizonMs: Number.POSITIVE_INFINITY,
}
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
      const refusal = await refusalOf(message, deps)
      if (refusal !== undefined) {
        await settle(message, { type: 'refused', errorCode: refusal }, deps)
        return SETTLED
      }
      return await submit(message, signal, deps)
    },
    nextAttemptAt: (row, now, random) => nextAttemptAt(SCHEDULE, row, now, random),
  }
}

/** The number of the reason why a message may not be sent any more. */
async function refusalOf(
  message: MessageRecord,
  { db, clock, maySend }: SubmitDeps,
): Promise<number | undefined> {
  if (clock.now() > message.expiresAt) return 30036
  if (message.isKeywordAnswer) return undefined
  const verdict = await judgeSender(db.read, maySend, message.accountSid, message.from)
  if (verdict.type !== 'allowed') return 30034
  return (await hasOptedOut(db.read, verdict.sender.scope, message.to)) ? 21610 : undefined
}

async function submit(
  message: MessageRecord,
  signal: AbortSignal,
  deps: SubmitDeps,
): Promise<Delivery> {
  const { sid, from, to } = message
  const { encoding, segments } = segmentText(message.body)
  const outcome = await attempt(() =>
    deps.carrier.submit({ sid, from, to, encoding, segments }, signal),
  )
  switch (outcome.type) {
    case 'accepted':
      await settle(message, { type: 'accepted', parts: outcome.ids.length }, deps, outcome.ids)
      return SETTLED
    case 'refused':
      await settle(message, outcome, deps)
      return SETTLED
    case 'busy':
      if (signal.aborted) return { type: 'aborted' }
      deps.log.info({ sid, reason: outcome.reason }, 'the carrier of a message is busy')
      return { type: 'failed', status: undefined, error: outcome.reason }
  }
}

async function attempt(send: () => Promise<SubmitOutcome>): Promise<SubmitOutcome> {
  try {
    return await send()
  } catch (error) {
    return { type: 'busy', reason: error instanceof Error ? error.message : 'unknown' }
  }
}

/** Stores the carrier's answer, with the receipts that came before it. */
async function settle(
  { sid }: MessageRecord,
  event: MessageEvent,
  { callbacks, clock, carrier, ledger }: SubmitDeps,
  ids: readonly string[] = [],
): Promise<void> {
  const now = clock.now()
  await callbacks.commit(async (tx, enqueue) => {
    const message = await findMessage(tx, sid)
    if (message === undefined) return
    if (ids.length > 0) await insertParts(tx, sid, carrier.name, ids)
    const scope = { tx, enqueue, ledger, now }
    let changed = await applyEvent(scope, message, event)
    for (const [part, id] of ids.entries()) {
      const state = await takeEarlyReceipt(tx, carrier.name, id)
      if (state === undefined || changed === undefined) continue
      changed = (await applyEvent(scope, changed, { type: 'receipt', part, state })) ?? changed
      await setPartState(tx, { sid, part }, state)
    }
  })
}
