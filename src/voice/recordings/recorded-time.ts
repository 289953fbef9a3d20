import type { Clock } from '../../platform/clock.js'

/**
 * The longest timer: longer than any call, and below 2^31 ms, beyond which a timer fires at once.
 */
const MAX_TIMER_MS = 2_000_000_000

/** Counts the recorded time without skipped pauses; calls back once at the limit. */
export class RecordedTime {
  readonly #clock: Clock
  readonly #limitMs: number | undefined
  readonly #onEnough: () => void
  #beforeMs = 0
  #since: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(clock: Clock, limitMs: number | undefined, onEnough: () => void) {
    this.#clock = clock
    this.#limitMs = limitMs
    this.#onEnough = onEnough
  }

  go(): void {
    this.#since = this.#clock.monotonic()
    if (this.#limitMs === undefined) return
    const leftMs = Math.max(0, this.#limitMs - this.#beforeMs)
    this.#timer = setTimeout(this.#onEnough, Math.min(leftMs, MAX_TIMER_MS))
  }

  halt(): void {
    clearTimeout(this.#timer)
    if (this.#since !== undefined) this.#beforeMs += this.#clock.monotonic() - this.#since
    this.#since = undefined
  }
}
