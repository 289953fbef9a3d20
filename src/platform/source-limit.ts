/** The verdict on one more request of a source: served, refused with an answer, or ignored. */
export type SourceVerdict = 'admit' | 'refuse' | 'ignore'

export interface SourceLimitOptions {
  /** The lasting rate of one source. */
  readonly perSecond: number
  /** The number of requests that a source may send at once after a while of silence. */
  readonly burst: number
}

interface Bucket {
  tokens: number
  at: number
  /** Refusals since the bucket was last full; a source that does not listen is no longer told. */
  refusals: number
}

/** An answer tells an honest peer to slow down; more of them only double a flood. */
const REFUSALS = 10
/** The source that was silent longest is forgotten, and begins anew with a full bucket. */
const MAX_SOURCES = 10_000

/** A token bucket for each source. */
export class SourceLimit {
  readonly #options: SourceLimitOptions
  /** The buckets of the sources, the least recently seen first. */
  readonly #buckets = new Map<string, Bucket>()
  #limited = 0

  constructor(options: SourceLimitOptions) {
    this.#options = options
  }

  /** The number of requests that were not admitted so far. */
  get limited(): number {
    return this.#limited
  }

  get sources(): number {
    return this.#buckets.size
  }

  /** `now` in milliseconds of a clock that never goes back. */
  judge(source: string, now: number): SourceVerdict {
    const bucket = this.#bucketOf(source, now)
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1
      return 'admit'
    }
    this.#limited++
    bucket.refusals++
    return bucket.refusals > REFUSALS ? 'ignore' : 'refuse'
  }

  /** Takes tokens for a request that was admitted and came to nothing: junk is paid for dearly. */
  charge(source: string, tokens: number, now: number): void {
    const bucket = this.#bucketOf(source, now)
    bucket.tokens = Math.max(-this.#options.burst, bucket.tokens - tokens)
  }

  #bucketOf(source: string, now: number): Bucket {
    const { burst, perSecond } = this.#options
    const known = this.#buckets.get(source)
    if (known === undefined) {
      if (this.#buckets.size >= MAX_SOURCES) this.#forgetOldest()
      const bucket: Bucket = { tokens: burst, at: now, refusals: 0 }
      this.#buckets.set(source, bucket)
      return bucket
    }
    this.#buckets.delete(source)
    this.#buckets.set(source, known)
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
