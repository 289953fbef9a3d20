import type { Digit, DigitTaker } from './app-frame.js'

export interface DigitQueueDeps {
  /**
   * Returns the receiver of the next digit; undefined drops the digit (no application runs), 'nobody' keeps
   * it queued.
   */
  taker(): DigitTaker | 'nobody' | undefined
  /** Called when a digit leaves the queue; it then counts as received. */
  onTaken(digit: Digit): void
}

/** Maximum number of queued digits; further ones are lost. */
const MAX_DIGITS = 128

/** Digits in order of arrival, queued until an application takes them. */
export class DigitQueue {
  readonly #deps: DigitQueueDeps
  #waiting: Digit[] = []
  readonly #arrivals = new Set<() => void>()

  constructor(deps: DigitQueueDeps) {
    this.#deps = deps
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  push(digit: Digit): void {
    if (this.#waiting.length < MAX_DIGITS) this.#waiting.push(digit)
    this.drain()
    for (const arrival of [...this.#arrivals]) arrival()
  }

  /** Delivers the queued digits that can be delivered now. */
  drain(): void {
    for (let digit = this.#waiting[0]; digit !== undefined; digit = this.#waiting[0]) {
      const taker = this.#deps.taker()
      if (taker === 'nobody') return
      this.#waiting.shift()
      this.#deps.onTaken(digit)
      taker?.take(digit)
    }
  }

  flush(): void {
    this.#waiting = []
  }

  /** Notifies the listener of each digit, without consuming it. Returns a function that unsubscribes. */
  onArrival(listener: () => void): () => void {
    this.#arrivals.add(listener)
    return () => {
      this.#arrivals.delete(listener)
    }
  }
}
