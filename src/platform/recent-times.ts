/** The number of times that are looked at, and how many of them it takes. */
const LOOKED_AT = 8
const MIN_TIMES = 4
/** The age of a time that says nothing any more. */
const KEPT_MS = 500

/** The time that something took lately, as the median of the last times. Pure: the caller brings the time. */
export class RecentTimes {
  #times: { readonly at: number; readonly tookMs: number }[] = []

  add(tookMs: number, now: number): void {
    this.#times = [...this.#times.slice(1 - LOOKED_AT), { at: now, tookMs }]
  }

  /**
   * The median in milliseconds; 0 while there are too few. `underWay`: how long that takes already which
   * is not over.
   */
  median(now: number, underWay: readonly number[] = []): number {
    const over = this.#times.filter(({ at }) => now - at < KEPT_MS).map(({ tookMs }) => tookMs)
    const took = [...over, ...underWay].sort((one, other) => one - other)
    return took.length < MIN_TIMES ? 0 : (took[Math.floor(took.length / 2)] ?? 0)
  }
}
