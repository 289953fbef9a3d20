/** The stay of a caller in a queue, from its entry to its one result. */
import type { Clock } from '../../platform/clock.js'
import type { Logger } from '../../platform/log.js'
import type { NewCallback } from '../../platform/outbox/callback.js'
import type { EventLog } from '../events/event-log.js'
import { DocumentReplacedError } from '../markup/document.js'
import type { QueueEntry, QueueOutcome, QueueResult } from '../markup/queue-entry.js'
import { LegEndedError } from '../telephony/port.js'
import type { LiveQueue } from './live-queue.js'
import { queueCallback } from './queue-callback.js'
import { type QueuedCall, QueueMember } from './queue-member.js'
import { resultParams, standingParams } from './queue-params.js'
import type { Entry, QueueStore } from './queue-store.js'
import type { QueueRecord } from './tables.js'

export interface StayDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly events: EventLog
  readonly store: QueueStore
  readonly live: (record: QueueRecord) => LiveQueue
}

/** The documented maximum size of a queue that an Enqueue creates. */
const NEW_QUEUE_SIZE = 100
/** Maximum number of attempts to enter a queue that is deleted and created again at the same time. */
const MAX_ATTEMPTS = 3

interface Place {
  readonly queue: LiveQueue
  readonly member: QueueMember
}

/** Implements `MarkupHost.enterQueue`. */
export async function stayInQueue(
  queued: QueuedCall,
  entry: QueueEntry,
  signal: AbortSignal,
  deps: StayDeps,
): Promise<QueueOutcome> {
  const place = await join(queued, entry, deps)
  if (typeof place === 'string') {
    note(queued, deps, { event: 'refused', queue: entry.name, result: place })
    return { result: place, params: resultParams(place, undefined) }
  }
  let result: QueueResult
  try {
    result = await place.member.stay(signal)
  } catch (err) {
    const end = endOf(place.member, signal)
    if (end === undefined)
      deps.log.error({ err, callSid: place.member.callSid }, 'a stay in a queue failed')
    result = end ?? 'system-error'
  }
  const outcome = await leave(place, result, signal, deps)
  signal.throwIfAborted()
  if (queued.leg.state === 'ended') throw new LegEndedError('the caller hung up')
  return outcome
}

/**
 * Adds the caller to the line at once, in the order of arrival. A dialler may take the caller once it is
 * stored.
 */
async function join(
  queued: QueuedCall,
  entry: QueueEntry,
  deps: StayDeps,
): Promise<Place | 'queue-full' | 'system-error'> {
  const { store, log } = deps
  const { sid: callSid, accountSid } = queued.call()
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const record = await store.open(accountSid, entry.name, entry.maxSize ?? NEW_QUEUE_SIZE)
      const queue = deps.live(record)
      const places = Math.min(record.maxSize, entry.maxSize ?? Infinity) - queue.waiting.length
      if (places <= 0) return 'queue-full'
      const member = newMember(queued, entry, queue, deps)
      queue.join(member)
      const stored = await insert({ queue, member }, record, places, deps)
      if (stored === 'full') return 'queue-full'
      if (stored === 'no-queue') continue
      note(queued, deps, { event: 'enqueued', queue: entry.name, queueSid: record.sid })
      queue.waits(callSid)
      return { queue, member }
    }
    log.error(
      { callSid, queue: entry.name },
      'a call could not enter a queue, which was deleted at each attempt',
    )
  } catch (err) {
    log.error({ err, callSid, queue: entry.name }, 'a call could not enter a queue')
  }
  return 'system-error'
}

/** Stores a caller in the line; one that is not stored leaves it. */
async function insert(
  { queue, member }: Place,
  record: QueueRecord,
  places: number,
  { store }: StayDeps,
): Promise<Entry> {
  let entry: Entry | undefined
  try {
    const stored = {
      callSid: member.callSid,
      accountSid: record.accountSid,
      queueSid: record.sid,
      enqueuedAt: member.enqueuedAt,
      bridgedAt: undefined,
      action: member.entry.action,
    }
    entry = await store.insertMember(stored, places)
    return entry
  } finally {
    if (entry !== 'stored') queue.leave(member)
  }
}

function newMember(
  queued: QueuedCall,
  entry: QueueEntry,
  queue: LiveQueue,
  deps: StayDeps,
): QueueMember {
  const { clock, store, log } = deps
  const { sid: callSid } = queued.call()
  const mark = async (bridgedAt: number | undefined) => {
    try {
      await store.markBridged(callSid, bridgedAt)
    } catch (err) {
      // A full disk must not prevent the connection.
      log.error({ err, callSid }, 'could not store the connection of a queued caller')
    }
  }
  const member: QueueMember = new QueueMember(queued, entry, clock.now(), {
    queueSid: queue.record.sid,
    now: () => clock.monotonic(),
    standing: () => standingOf(member, queue),
    connecting: async (diallerSid) => {
      note(queued, deps, { event: 'dequeued', queueSid: queue.record.sid, by: diallerSid })
      await mark(clock.now())
    },
    returned: async () => {
      await mark(undefined)
      note(queued, deps, { event: 'returned', queueSid: queue.record.sid })
      queue.waits(callSid)
    },
  })
  return member
}

function standingOf(member: QueueMember, queue: LiveQueue): Readonly<Record<string, string>> {
  const { waiting, record, averageMs } = queue
  return standingParams({
    queueSid: record.sid,
    position: waiting.indexOf(member) + 1,
    size: waiting.length,
    maxSize: record.maxSize,
    waitedMs: member.waitedMs,
    averageMs,
  })
}

/** Returns the result of an aborted stay; undefined when neither side ended it. */
function endOf({ phase, queued }: QueueMember, signal: AbortSignal): QueueResult | undefined {
  if (isReplaced(signal)) {
    if (phase === 'connected') return 'redirected-from-bridged'
    return phase === 'reserved' ? 'bridging-in-process' : 'redirected'
  }
  if (!signal.aborted && queued.leg.state !== 'ended') return undefined
  return phase === 'connected' ? 'bridged' : 'hangup'
}

/** Stores the one result, with a callback when no document can report it to the action. */
async function leave(
  { queue, member }: Place,
  stayed: QueueResult,
  signal: AbortSignal,
  deps: StayDeps,
): Promise<QueueOutcome> {
  const { queued, waitedMs, callSid } = member
  queue.leave(member)
  // Another document replaced the caller's while it was bridged.
  const result = stayed === 'bridged' && isReplaced(signal) ? 'redirected-from-bridged' : stayed
  const queueSid = queue.record.sid
  const params = resultParams(result, { queueSid, waitedMs })
  note(queued, deps, { event: 'left', queueSid, result, waitedMs: Math.round(waitedMs) })
  const isContinuing = () => result !== 'hangup' && !signal.aborted && queued.leg.state !== 'ended'
  const continues = isContinuing()
  try {
    const callback = () => callbackOf(member, params, signal)
    await deps.store.removeMember(callSid, continues ? undefined : callback())
    if (continues && !isContinuing()) await deps.store.enqueueCallback(callback())
  } catch (err) {
    // A full disk must not keep a caller in a queue.
    deps.log.error({ err, callSid }, 'could not store the departure of a queued caller')
  }
  return { result, params }
}

function callbackOf(
  { entry, queued }: QueueMember,
  params: Readonly<Record<string, string>>,
  signal: AbortSignal,
): NewCallback | undefined {
  const state = isReplaced(signal) ? 'goes-on' : 'ended'
  return entry.action && queueCallback(queued.call(), entry.action, params, state)
}

function isReplaced(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof DocumentReplacedError
}

function note(
  { call }: QueuedCall,
  { events }: StayDeps,
  detail: Readonly<Record<string, unknown>>,
): void {
  const { sid: callSid, accountSid } = call()
  events.append({ callSid, accountSid, kind: 'queue', detail })
}
