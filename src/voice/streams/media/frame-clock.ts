import type { Clock } from '../../../platform/clock.js'

const FRAME_MS = 20

/** Ticks every 20 ms for all streams, without drift, while there are listeners. */
export class FrameClock implements Disposable {
  readonly #clock: Clock
  readonly #listeners = new Set<(now: number) => void>()
  #timer: NodeJS.Timeout | undefined
  #due = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Subscribes to the ticks; the returned function unsubscribes. */
  onTick(listener: (now: number) => void): () => void {
    this.#listeners.add(listener)
    if (this.#timer === undefined) {
      this.#due = this.#clock.monotonic()
      this.#schedule()
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this[Symbol.dispose]()
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #schedule(): void {
    const now = this.#clock.monotonic()
    // Ticks missed during a stall are skipped; listeners get the current time.
    this.#due = Math.max(this.#due + FRAME_MS, now)
    this.#timer = setTimeout(() => {
      for (const listener of [...this.#listeners]) listener(this.#clock.monotonic())
      if (this.#listeners.size > 0) this.#schedule()
    }, this.#due - now)
  }
}
