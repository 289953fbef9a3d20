import type { Clock } from '../../../platform/clock.js'
import type { Logger } from '../../../platform/log.js'
import type { CallTerms } from '../../../rating/rate.js'
import type { CallRecord } from '../../model/call-record.js'
import type { CallCharging } from './call-charging.js'

export interface SpendWatchDeps {
  readonly charging: Pick<CallCharging, 'paidSeconds' | 'renew'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Logger
}

/** How long before the end of the paid time more is reserved, ms. */
const RENEW_BEFORE_MS = 15_000
/** How long before that end a refused renewal is retried once, ms. */
const LAST_TRY_MS = 1_000
/** Delay after a renewal that failed in the storage, ms. */
const AFTER_FAILURE_MS = 1_000

/**
 * Limits one answered call to its paid time: reserves more before that time ends, and calls `onSpent` when it
 * ends. It uses only timers in between.
 */
export class SpendWatch implements Disposable {
  readonly #deps: SpendWatchDeps
  readonly #sid: string
  readonly #terms: CallTerms
  readonly #answeredAtMs: number
  readonly #onSpent: (paidSeconds: number) => void
  #paidSeconds = 0
  #hasTriedLast = false
  #renewal: NodeJS.Timeout | undefined
  #end: NodeJS.Timeout | undefined
  #isOver = false

  constructor(
    call: CallRecord & { readonly terms: CallTerms },
    answeredAtMs: number,
    onSpent: (paidSeconds: number) => void,
    deps: SpendWatchDeps,
  ) {
    this.#deps = deps
    this.#sid = call.sid
    this.#terms = call.terms
    this.#answeredAtMs = answeredAtMs
    this.#onSpent = onSpent
    void this.#begin(call)
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    clearTimeout(this.#renewal)
    clearTimeout(this.#end)
  }

  async #begin(call: CallRecord): Promise<void> {
    try {
      const seconds = await this.#deps.charging.paidSeconds(call)
      if (seconds !== undefined) this.#paidUntil(seconds)
    } catch (err) {
      this.#deps.log.error({ err, callSid: this.#sid }, 'could not read the reservation of a call')
      // A renewal returns the paid time too.
      this.#later(AFTER_FAILURE_MS)
    }
  }

  /** Schedules the next renewal, and the end of the call at the end of its paid time. */
  #paidUntil(seconds: number): void {
    if (this.#isOver) return
    const isMore = seconds > this.#paidSeconds
    this.#paidSeconds = seconds
    clearTimeout(this.#end)
    const leftMs = this.#leftMs()
    this.#end = setTimeout(
      () => {
        this[Symbol.dispose]()
        this.#onSpent(this.#paidSeconds)
      },
      Math.max(0, leftMs),
    )
    if (isMore) {
      this.#hasTriedLast = false
      this.#later(leftMs - Math.min(RENEW_BEFORE_MS, leftMs / 2))
    } else if (!this.#hasTriedLast && leftMs > LAST_TRY_MS) {
      this.#hasTriedLast = true
      this.#later(leftMs - LAST_TRY_MS)
    }
  }

  #later(delayMs: number): void {
    clearTimeout(this.#renewal)
    if (!this.#isOver) this.#renewal = setTimeout(() => void this.#renew(), Math.max(0, delayMs))
  }

  async #renew(): Promise<void> {
    const { charging, log } = this.#deps
    try {
      this.#paidUntil(await charging.renew(this.#sid, this.#terms, this.#paidSeconds))
    } catch (err) {
      log.error({ err, callSid: this.#sid }, 'could not reserve more for a call')
      this.#later(AFTER_FAILURE_MS)
    }
  }

  #leftMs(): number {
    return this.#answeredAtMs + this.#paidSeconds * 1_000 - this.#deps.clock.monotonic()
  }
}
