/** How many times are kept; how many of them the median looks at, and how many it takes. */
const KEPT = 32
const LOOKED_AT = 8
const MIN_TIMES = 4
/** The age of a time that says nothing any more. */
const KEPT_MS = 500

/** How long something took, and when it was over; both in milliseconds. */
export interface TimeTaken {
  readonly at: number
  readonly tookMs: number
}

/** The times that something took lately, and their median. Pure: the caller brings the time. */
export class RecentTimes {
  #times: readonly TimeTaken[] = []

  /** The last 32 times, however old; the newest is at the end. */
  get last(): readonly TimeTaken[] {
    return this.#times
  }

  add(tookMs: number, now: number): void {
    this.#times = [...this.#times.slice(1 - KEPT), { at: now, tookMs }]
  }

  /**
   * The median in milliseconds; 0 while there are too few. `underWay`: how long that takes already which
   * is not over.
   */
  median(now: number, underWay: readonly number[] = []): number {
    const over = this.#times
      .slice(-LOOKED_AT)
      .filter(({ at }) => now - at < KEPT_MS)
      .map(({ tookMs }) => tookMs)
    const took = [...over, ...underWay].sort((one, other) => one - other)
    return took.length < MIN_TIMES ? 0 : (took[Math.floor(took.length / 2)] ?? 0)
  }
}
