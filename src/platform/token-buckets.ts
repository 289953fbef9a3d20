/**
 * Token buckets, one for each name: they bound the lasting rate, but not a burst after silence.
 * Pure.
 */

export interface TokenRate {
  /** The lasting rate of one name. */
  readonly perSecond: number
  /** The tokens that a bucket holds: as many may be taken at once after a while of silence. */
  readonly burst: number
}

/**
 * The most names; the one that was silent longest is forgotten, and begins again with a full
 * bucket.
 */
const MAX_NAMES = 10_000

/** A bucket as it is at the requested moment. */
export interface TokenBucket {
  /** The tokens; less than 0 for a bucket that was charged. */
  tokens: number
  at: number
  /** The number of refusals since the bucket was last full. */
  refusals: number
}

export class TokenBuckets {
  readonly #rate: TokenRate
  /** The buckets by name, the least recently used first. */
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(rate: TokenRate) {
    this.#rate = rate
  }

  get size(): number {
    return this.#buckets.size
  }

  /**
   * Takes one token if there is one; `now` is in milliseconds of a clock that never goes back. `rate`
   * is the name's own.
   */
  take(name: string, now: number, rate: TokenRate = this.#rate): boolean {
    const bucket = this.at(name, now, rate)
    if (bucket.tokens < 1) {
      bucket.refusals += 1
      return false
    }
    bucket.tokens -= 1
    return true
  }

  /** Returns the seconds until there is a token again, rounded up. */
  secondsUntilToken(name: string, now: number, rate: TokenRate = this.#rate): number {
    const { tokens } = this.at(name, now, rate)
    return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / rate.perSecond)
  }

  /** Takes tokens whether they are there or not; a bucket owes no more than a burst. */
  charge(name: string, tokens: number, now: number): void {
    const bucket = this.at(name, now)
    bucket.tokens = Math.max(-this.#rate.burst, bucket.tokens - tokens)
  }

  /** The bucket of `name`, filled up to `now`. */
  at(name: string, now: number, { burst, perSecond }: TokenRate = this.#rate): TokenBucket {
    const known = this.#buckets.get(name)
    if (known === undefined) {
      if (this.#buckets.size >= MAX_NAMES) this.#forgetOldest()
      const bucket: TokenBucket = { tokens: burst, at: now, refusals: 0 }
      this.#buckets.set(name, bucket)
      return bucket
    }
    this.#buckets.delete(name)
    this.#buckets.set(name, known)
    known.tokens = Math.min(burst, known.tokens + ((now - known.at) * perSecond) / 1_000)
    known.at = now
    if (known.tokens === burst) known.refusals = 0
    return known
  }

  #forgetOldest(): void {
    const oldest = this.#buckets.keys().next()
    if (oldest.done !== true) this.#buckets.delete(oldest.value)
  }
}
