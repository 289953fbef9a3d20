/** Token buckets by name: they limit the sustained rate and allow a burst after an idle time. Pure. */

export interface TokenRate {
  /** Sustained rate of one name. */
  readonly perSecond: number
  /** Capacity of a bucket: the number of tokens that can be taken at once after an idle time. */
  readonly burst: number
}

/** Maximum number of names; the least recently used is dropped and starts again with a full bucket. */
const MAX_NAMES = 10_000

/** The state of a bucket at the requested time. */
export interface TokenBucket {
  /** The number of tokens; negative after a charge larger than the balance. */
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
   * Takes one token if available. `now` is in milliseconds of a monotonic clock; `rate` overrides the default
   * for this name.
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

  /** Returns the seconds until a token is available, rounded up. */
  secondsUntilToken(name: string, now: number, rate: TokenRate = this.#rate): number {
    const { tokens } = this.at(name, now, rate)
    return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / rate.perSecond)
  }

  /** Takes tokens even if the balance becomes negative; the debt is at most one burst. */
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
