import type { Account } from '../../../accounts/accounts.js'
import type { Clock } from '../../../platform/clock.js'
import type { Logger } from '../../../platform/log.js'
import { NodeShare } from '../../../platform/nodes/node-share.js'
import { CallQueueFullError, TooManyCallsError } from '../../model/call-errors.js'
import type { CallActor } from '../actor/call-actor.js'
import type { OverloadControl } from './overload-control.js'
import { StartQueue } from './start-queue.js'

export interface CallLimits {
  /** Maximum number of concurrent calls. */
  readonly maxCalls: number
  /** Default maximum of an account's calls that start per second. */
  readonly callsPerSecond: number
  /** Default maximum of an account's queued calls. */
  readonly maxWaiting: number
}

/** The result of taking a slot for a call that cannot be queued. */
export type SlotVerdict = 'taken' | 'server-full' | 'account-full'

/** The call slots of this server: calls start at their account's rate while a slot is free. */
export interface CallSlots {
  /** Throws a DomainError when the account cannot create another call now. */
  check(account: Account): void
  /** Queues the call after `delayMs`; it starts when its account's rate allows and a slot is free. */
  enqueue(actor: CallActor, account: Account, delayMs: number): void
  /** Takes a slot for an emergency call, even when none is free. */
  takeForEmergency(sid: string, account: Account): void
  /** Starts an emergency call at once: before queued ones, and even when no slot is free. */
  startEmergency(actor: CallActor, account: Account): void
  /**
   * Takes a slot for a call that cannot be queued, if one is free. Without an account only the server's limit
   * applies.
   */
  take(sid: string, account: Account | undefined): SlotVerdict
  /** Frees the slot of a call, or removes the call from the queue. */
  release(sid: string): void
  /** Fails the queued calls. */
  close(): void
}

export interface CallSlotsDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly limits: CallLimits
  readonly overload: OverloadControl
  /** This node's share of an account's limits. */
  readonly share?: NodeShare | undefined
}

interface WaitingCall {
  readonly actor: CallActor
  /** The timer of a call that has not joined the queue yet. */
  readonly delay: NodeJS.Timeout | undefined
}

export function createCallSlots({
  clock,
  log,
  limits,
  overload,
  share = new NodeShare(),
}: CallSlotsDeps): CallSlots {
  const taken = new TakenSlots(limits.maxCalls)
  const waiting = new WaitingCalls()
  const queue = new StartQueue({
    clock,
    isQuick: () => overload.hasRoom(clock.monotonic()),
    hasRoom: ({ accountSid, concurrent }) =>
      !taken.isFull && taken.hasRoomFor(accountSid, partOf(share, concurrent)),
    partOfRate: (perSecond) => share.ofRate(perSecond),
  })
  const join = (actor: CallActor, account: Account, delayMs: number): void => {
    const { sid, accountSid } = actor.record
    const { callsPerSecond, concurrentCalls } = account.settings
    queue.add({
      sid,
      accountSid,
      perSecond: callsPerSecond ?? limits.callsPerSecond,
      concurrent: concurrentCalls,
      start: (queuedMs) => {
        waiting.remove(sid)
        taken.take(sid, accountSid)
        void start(actor, delayMs + queuedMs, { clock, overload, log })
      },
    })
  }
  return {
    ...emergencySlots(taken, log),
    check: ({ sid, settings }) => {
      if (taken.isFull) throw new TooManyCallsError('there is no room for another call')
      const max = settings.waitingCalls ?? limits.maxWaiting
      if (queue.waitingOf(sid) >= max)
        throw new CallQueueFullError(`${max} calls wait for their turn`)
    },
    enqueue: (actor, account, delayMs) => {
      waiting.add(actor, delayMs, () => {
        join(actor, account, delayMs)
      })
    },
    take: (sid, account) => takeSlot(taken, share, sid, account),
    release: (sid) => {
      const actor = waiting.remove(sid)
      if (actor !== undefined) queue.remove(actor.record)
      taken.release(sid)
      queue.wake()
    },
    close: () => {
      queue.close()
      waiting.failAll('the server is shutting down')
    },
  }
}

/** The calls that have not started: those in the queue, and those that will join it. */
class WaitingCalls {
  readonly #calls = new Map<string, WaitingCall>()

  /** Adds a call, and calls `join` when it can join the queue: after the delay, or at once. */
  add(actor: CallActor, delayMs: number, join: () => void): void {
    const delay = delayMs === 0 ? undefined : setTimeout(join, delayMs)
    this.#calls.set(actor.record.sid, { actor, delay })
    if (delay === undefined) join()
  }

  /** Removes a call that starts or has ended; undefined when it was not waiting. */
  remove(sid: string): CallActor | undefined {
    const call = this.#calls.get(sid)
    clearTimeout(call?.delay)
    this.#calls.delete(sid)
    return call?.actor
  }

  /** Fails every waiting call. */
  failAll(reason: string): void {
    for (const { actor, delay } of this.#calls.values()) {
      clearTimeout(delay)
      actor.fail(reason)
    }
  }
}

/** Starts a call, and measures the time to the commit of its start as our delay. */
async function start(
  actor: CallActor,
  queuedMs: number,
  { clock, overload, log }: Pick<CallSlotsDeps, 'clock' | 'overload' | 'log'>,
): Promise<void> {
  const setUp = overload.begin(clock.monotonic())
  try {
    await actor.start(queuedMs)
    overload.end(setUp, clock.monotonic())
  } catch (err) {
    overload.abandon(setUp, clock.monotonic())
    log.error({ err, callSid: actor.record.sid }, 'could not start a call')
  }
}

function partOf(share: NodeShare, limit: number | undefined): number | undefined {
  return limit === undefined ? undefined : share.ofCount(limit)
}

function takeSlot(
  taken: TakenSlots,
  share: NodeShare,
  sid: string,
  account: Account | undefined,
): SlotVerdict {
  if (taken.isFull) return 'server-full'
  const limit = partOf(share, account?.settings.concurrentCalls)
  if (account !== undefined && !taken.hasRoomFor(account.sid, limit)) return 'account-full'
  taken.take(sid, account?.sid)
  return 'taken'
}

function emergencySlots(
  taken: TakenSlots,
  log: Logger,
): Pick<CallSlots, 'takeForEmergency' | 'startEmergency'> {
  return {
    takeForEmergency: (sid, account) => {
      taken.take(sid, account.sid)
    },
    startEmergency: (actor, account) => {
      const { sid } = actor.record
      taken.take(sid, account.sid)
      actor.start().catch((err: unknown) => {
        log.error({ err, callSid: sid }, 'could not start an emergency call')
      })
    },
  }
}

/** The calls in progress, with a maximum in total and for each account. */
class TakenSlots {
  readonly #max: number
  readonly #taken = new Map<string, string | undefined>()
  readonly #byAccount = new Map<string, number>()

  constructor(max: number) {
    this.#max = max
  }

  get isFull(): boolean {
    return this.#taken.size >= this.#max
  }

  /** True when the account has fewer calls in progress than `limit`; always true without a limit. */
  hasRoomFor(accountSid: string, limit: number | undefined): boolean {
    return limit === undefined || (this.#byAccount.get(accountSid) ?? 0) < limit
  }

  /** Takes a slot for the call, even above the limits. Without an account only the total counts. */
  take(sid: string, accountSid: string | undefined): void {
    if (this.#taken.has(sid)) return
    this.#taken.set(sid, accountSid)
    if (accountSid === undefined) return
    this.#byAccount.set(accountSid, (this.#byAccount.get(accountSid) ?? 0) + 1)
  }

  /** Frees the slot of the call, if it has one. */
  release(sid: string): void {
    const accountSid = this.#taken.get(sid)
    this.#taken.delete(sid)
    if (accountSid === undefined) return
    const left = (this.#byAccount.get(accountSid) ?? 1) - 1
    if (left > 0) this.#byAccount.set(accountSid, left)
    else this.#byAccount.delete(accountSid)
  }
}
