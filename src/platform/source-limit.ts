import { TokenBuckets, type TokenRate } from './token-buckets.js'

/** Verdict on a request of a source: served, refused with an answer, or ignored. */
export type SourceVerdict = 'admit' | 'refuse' | 'ignore'

/**
 * Maximum consecutive refusals that a source is sent: an answer makes an honest peer slow down; more of them
 * only double a flood.
 */
const REFUSALS = 10

/** Limits the requests of each source by a token bucket. */
export class SourceLimit {
  readonly #buckets: TokenBuckets
  #limited = 0

  constructor(rate: TokenRate) {
    this.#buckets = new TokenBuckets(rate)
  }

  /** Number of requests that were not admitted so far. */
  get limited(): number {
    return this.#limited
  }

  get sources(): number {
    return this.#buckets.size
  }

  /** Returns the verdict on one request; `now` is monotonic time, ms. */
  judge(source: string, now: number): SourceVerdict {
    if (this.#buckets.take(source, now)) return 'admit'
    this.#limited++
    // A source that ignores the refusals gets no more.
    return this.#buckets.at(source, now).refusals > REFUSALS ? 'ignore' : 'refuse'
  }

  /** True when the source's next request would not be admitted. */
  isSpent(source: string, now: number): boolean {
    return this.#buckets.at(source, now).tokens < 1
  }

  /** Takes extra tokens for an admitted request that was useless. */
  charge(source: string, tokens: number, now: number): void {
    this.#buckets.charge(source, tokens, now)
  }
}
