import type { Account } from '../../../accounts/accounts.js'
import type { Clock } from '../../../platform/clock.js'
import type { Logger } from '../../../platform/log.js'
import { CallQueueFullError, TooManyCallsError } from '../../model/call-errors.js'
import type { CallActor } from '../actor/call-actor.js'
import { CallSlots } from './call-slots.js'
import { StartQueue } from './start-queue.js'

export interface CallLimits {
  /** The number of calls that may be under way at once. */
  readonly maxCalls: number
  /**
   * The number of an account's calls that may start in a second, unless its own settings say
   * otherwise.
   */
  readonly callsPerSecond: number
  /** The number of an account's calls that may wait for their turn. */
  readonly maxWaiting: number
}

/** Starts calls at their account's rate, while there is room for another one. */
export interface Turns {
  /** Throws a DomainError when the account may not create another call now. */
  check(account: Account): void
  /** Queues the call, and starts it when its turn has come. */
  wait(actor: CallActor, account: Account): void
  /** Takes a slot for a call that cannot wait; false when none is free. */
  takeAtOnce(sid: string): boolean
  ended(sid: string): void
  /** Fails the calls that wait. */
  close(): void
}

export function createTurns(deps: {
  readonly clock: Clock
  readonly log: Logger
  readonly limits: CallLimits
}): Turns {
  const { clock, log, limits } = deps
  const slots = new CallSlots(limits.maxCalls)
  const waiting = new Map<string, CallActor>()
  const queue = new StartQueue({
    clock,
    maxWaiting: limits.maxWaiting,
    hasRoom: () => !slots.isFull,
  })
  return {
    check: (account) => {
      if (slots.isFull) throw new TooManyCallsError('there is no room for another call')
      if (queue.isFull(account.sid))
        throw new CallQueueFullError(`${limits.maxWaiting} calls wait for their turn`)
    },
    wait: (actor, account) => {
      const { sid, accountSid } = actor.record
      waiting.set(sid, actor)
      queue.add({
        sid,
        accountSid,
        perSecond: account.settings.callsPerSecond ?? limits.callsPerSecond,
        start: (queuedMs) => {
          waiting.delete(sid)
          slots.take(sid)
          actor.start(queuedMs).catch((err: unknown) => {
            log.error({ err, callSid: sid }, 'could not start a call')
          })
        },
      })
    },
    takeAtOnce: (sid) => slots.take(sid),
    ended: (sid) => {
      const actor = waiting.get(sid)
      if (actor !== undefined) queue.remove(actor.record)
      waiting.delete(sid)
      slots.release(sid)
      queue.wake()
    },
    close: () => {
      queue.close()
      for (const actor of waiting.values()) actor.fail('the server is shutting down')
    },
  }
}
