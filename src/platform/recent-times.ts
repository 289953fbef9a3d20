/** How many times are kept; how many of them the median looks at, and how many it takes. */
const KEPT = 32
const LOOKED_AT = 8
const MIN_TIMES = 4
/** Maximum age of a duration in the median, ms. */
const KEPT_MS = 500

/** A duration and when it ended, ms. */
export interface TimeTaken {
  readonly at: number
  readonly tookMs: number
}

/** Recent durations of an operation, and their median. Pure: the caller supplies the time. */
export class RecentTimes {
  #times: readonly TimeTaken[] = []

  /** The last 32 durations, newest last. */
  get last(): readonly TimeTaken[] {
    return this.#times
  }

  add(tookMs: number, now: number): void {
    this.#times = [...this.#times.slice(1 - KEPT), { at: now, tookMs }]
  }

  /** Returns the median in ms; 0 while there are too few. `underWay`: elapsed ms of unfinished operations. */
  median(now: number, underWay: readonly number[] = []): number {
    const over = this.#times
      .slice(-LOOKED_AT)
      .filter(({ at }) => now - at < KEPT_MS)
      .map(({ tookMs }) => tookMs)
    const took = [...over, ...underWay].sort((one, other) => one - other)
    return took.length < MIN_TIMES ? 0 : (took[Math.floor(took.length / 2)] ?? 0)
  }
}
