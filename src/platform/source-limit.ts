import { TokenBuckets, type TokenRate } from './token-buckets.js'

/** The verdict on one more request of a source: served, refused with an answer, or ignored. */
export type SourceVerdict = 'admit' | 'refuse' | 'ignore'

/**
 * The refusals that a source is sent in a row: an answer tells an honest peer to slow down; more of
 * them only double a flood.
 */
const REFUSALS = 10

/** Judges the requests of each source by its token bucket. */
export class SourceLimit {
  readonly #buckets: TokenBuckets
  #limited = 0

  constructor(rate: TokenRate) {
    this.#buckets = new TokenBuckets(rate)
  }

  /** The number of requests that were not admitted so far. */
  get limited(): number {
    return this.#limited
  }

  get sources(): number {
    return this.#buckets.size
  }

  /** Judges one request; `now` is in milliseconds of a clock that never goes back. */
  judge(source: string, now: number): SourceVerdict {
    if (this.#buckets.take(source, now)) return 'admit'
    this.#limited++
    // A source that does not listen is no longer told.
    return this.#buckets.at(source, now).refusals > REFUSALS ? 'ignore' : 'refuse'
  }

  /** True when the next request of the source would not be admitted. */
  isSpent(source: string, now: number): boolean {
    return this.#buckets.at(source, now).tokens < 1
  }

  /** Takes tokens for a request that was admitted and came to nothing, so that junk costs much. */
  charge(source: string, tokens: number, now: number): void {
    this.#buckets.charge(source, tokens, now)
  }
}
