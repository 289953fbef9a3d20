import type { Account } from '../../../accounts/accounts.js'
import type { Clock } from '../../../platform/clock.js'
import type { Logger } from '../../../platform/log.js'
import { CallQueueFullError, TooManyCallsError } from '../../model/call-errors.js'
import type { CallActor } from '../actor/call-actor.js'
import { CallSlots } from './call-slots.js'
import { StartQueue } from './start-queue.js'

export interface CallLimits {
  /** Calls that may be under way at once. */
  readonly maxCalls: number
  /** Calls of an account that may start in a second, unless it says otherwise itself. */
  readonly callsPerSecond: number
  /** Calls of an account that may wait for their turn. */
  readonly maxWaiting: number
}

/** Lets calls begin at their account's rate, and while there is room for another one. */
export interface Turns {
  /** Throws a DomainError when the account may not create another call now. */
  check(account: Account): void
  /** Starts the call when its turn has come. */
  wait(actor: CallActor, account: Account): void
  /** Takes room for a call that cannot wait; false when there is none. */
  takeAtOnce(sid: string): boolean
  ended(sid: string): void
  /** Ends the calls that wait: they failed. */
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
            log.error({ err, callSid: sid }, 'a call could not be started')
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
