import type { Digit, DigitTaker } from './app-frame.js'

export interface DigitQueueDeps {
  /** The taker of the next digit; undefined drops it (the channel is parked), 'nobody' leaves it. */
  taker(): DigitTaker | 'nobody' | undefined
  /** Called when an application takes a digit, which then counts as received. */
  onTaken(digit: Digit): void
}

/**
 * The number of digits that are kept before an application takes them; more are lost, as on a
 * telephone.
 */
const MAX_DIGITS = 128

/** Digits in the order in which they were pressed, until an application takes them. */
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

  /** Hands over the digits that can be taken now. */
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

  /**
   * Tells the listener that a digit was pressed, without taking it. Returns the function that
   * unsubscribes.
   */
  onArrival(listener: () => void): () => void {
    this.#arrivals.add(listener)
    return () => {
      this.#arrivals.delete(listener)
    }
  }
}
