import { withAbort } from '../../platform/async/abort.js'
import type { QueueDial, QueueDialAnswer, QueuedParty } from '../markup/queue-entry.js'
import type { CallRecord } from '../model/call-record.js'
import type { ReadyMember, Reservation } from './reservation.js'
import type { StayDeps } from './stay-in-queue.js'

/**
 * Carries out `MarkupHost.dialQueue`. When a reserved caller hangs up before it is connected, the
 * next caller is reserved.
 */
export async function dialQueue(
  { sid: diallerSid, accountSid }: CallRecord,
  { name, announcement, timeoutMs }: QueueDial,
  signal: AbortSignal,
  { store, clock, live, events }: StayDeps,
): Promise<QueueDialAnswer> {
  const until = clock.monotonic() + timeoutMs
  for (;;) {
    const record = await store.findByName(accountSid, name)
    if (record === undefined) return { type: 'nobody', why: 'no-queue' }
    const limitMs = Math.max(0, until - clock.monotonic())
    const taken = await live(record).next({ diallerSid, announcement }, limitMs, signal)
    if (taken === 'timeout') return { type: 'nobody', why: 'timeout' }
    if (taken === 'closed') continue
    const { callSid } = taken
    const detail = { event: 'dequeues', queueSid: record.sid, callSid }
    events.append({ callSid: diallerSid, accountSid, kind: 'queue', detail })
    const ready = await readyOf(taken, signal)
    if (ready !== undefined)
      return { type: 'ready', party: partyOf(taken, ready, () => clock.monotonic()) }
  }
}

async function readyOf(
  reservation: Reservation,
  signal: AbortSignal,
): Promise<ReadyMember | undefined> {
  try {
    return await withAbort(reservation.ready, signal)
  } catch (error) {
    reservation.withdraw()
    throw error
  }
}

function partyOf(reservation: Reservation, ready: ReadyMember, now: () => number): QueuedParty {
  const since = now()
  return {
    ...ready,
    callSid: reservation.callSid,
    done: (how) => {
      reservation.finish(how)
      return { durationSeconds: Math.round((now() - since) / 1_000) }
    },
  }
}
