import type { Digit, Digits } from './port.js'

/** The digits of one leg: the leg emits them, the verbs and streams of its call subscribe. */
export class DigitSource implements Digits {
  readonly #onError: (error: unknown) => void
  readonly #listeners = new Set<(digit: Digit) => void>()

  /** `onError` gets what a listener throws; the other listeners hear the digit all the same. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  subscribe(listener: (digit: Digit) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(digit: Digit): void {
    for (const listener of [...this.#listeners])
      try {
        listener(digit)
      } catch (error) {
        this.#onError(error)
      }
  }
}
