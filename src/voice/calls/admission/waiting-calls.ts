import type { CallActor } from '../actor/call-actor.js'

interface WaitingCall {
  readonly actor: CallActor
  /** The timer of a call that is not in the queue yet. */
  readonly delay: NodeJS.Timeout | undefined
}

/** The calls that have not started: those in the queue, and those that join it later. */
export class WaitingCalls {
  readonly #calls = new Map<string, WaitingCall>()

  /** Adds a call, and calls `join` when it may join the queue: after the delay, or at once. */
  add(actor: CallActor, delayMs: number, join: () => void): void {
    const delay = delayMs === 0 ? undefined : setTimeout(join, delayMs)
    this.#calls.set(actor.record.sid, { actor, delay })
    if (delay === undefined) join()
  }

  /** Removes a call that starts or has ended; undefined when it does not wait. */
  remove(sid: string): CallActor | undefined {
    const call = this.#calls.get(sid)
    clearTimeout(call?.delay)
    this.#calls.delete(sid)
    return call?.actor
  }

  /** Fails every call that waits. */
  failAll(reason: string): void {
    for (const { actor, delay } of this.#calls.values()) {
      clearTimeout(delay)
      actor.fail(reason)
    }
  }
}
