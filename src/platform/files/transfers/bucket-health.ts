import type { Clock } from '../../clock.js'
import type { Logger } from '../../log.js'
import { ACCESS_DENIED, INVALID_CONFIGURATION, type StoreOutcome } from '../object-store.js'

const FIRST_REST_MS = 500
const LONGEST_REST_MS = 15_000

/**
 * Remembers whether the bucket answers. While it does not, all transfers rest together, a while
 * longer after each failure: a bucket that comes back is not met by every waiting file at once.
 */
export class BucketHealth {
  readonly #clock: Clock
  readonly #log: Logger
  #restMs = 0
  #restsUntil = 0

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock
    this.#log = log
  }

  get isAway(): boolean {
    return this.#restMs > 0
  }

  /** The time before which no request is made. */
  get restsUntil(): number {
    // A clock that was set back does not prolong the rest.
    return Math.min(this.#restsUntil, this.#clock.now() + this.#restMs)
  }

  /** Takes the outcome of a request; true when the bucket answers for the first time again. */
  note(outcome: StoreOutcome): boolean {
    if (outcome.type === 'done') {
      const wasAway = this.isAway
      this.#restMs = 0
      this.#restsUntil = 0
      if (wasAway) this.#log.info('the bucket for files is back')
      return wasAway
    }
    const { code, reason } = outcome
    // A refusal may be about this one file.
    if (code === ACCESS_DENIED || code === INVALID_CONFIGURATION) return false
    if (!this.isAway) this.#log.error({ code, reason }, 'the bucket for files is away')
    if (this.#clock.now() < this.#restsUntil) return false
    this.#restMs = Math.min(Math.max(FIRST_REST_MS, 2 * this.#restMs), LONGEST_REST_MS)
    this.#restsUntil = this.#clock.now() + this.#restMs
    return false
  }
}
