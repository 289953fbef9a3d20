import { CallActor } from './call-actor.js'
import type { CallRecord } from './call-record.js'

/** The calls that are not over, each with its actor. */
export class LiveCalls {
  readonly #actors = new Map<string, CallActor>()
  readonly #waiting = new Set<() => void>()

  begin(call: CallRecord, deps: ConstructorParameters<typeof CallActor>[1]): CallActor {
    const actor = new CallActor(call, deps)
    this.#actors.set(call.sid, actor)
    return actor
  }

  get(sid: string): CallActor | undefined {
    return this.#actors.get(sid)
  }

  get size(): number {
    return this.#actors.size
  }

  ended(sid: string): void {
    this.#actors.delete(sid)
    if (this.#actors.size > 0) return
    for (const wake of this.#waiting) wake()
  }

  /** Asks every call to end; resolves when all have, or after the limit. */
  async hangUpAll(limitMs: number): Promise<void> {
    if (this.#actors.size === 0) return
    const allEnded = new Promise<void>((resolve) => {
      this.#waiting.add(resolve)
      AbortSignal.timeout(limitMs).addEventListener('abort', () => {
        resolve()
      })
    })
    await Promise.allSettled(
      [...this.#actors.values()].map((actor) => actor.dispatch({ type: 'hangup-requested' })),
    )
    await allEnded
  }
}
