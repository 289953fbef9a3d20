import type { TimeTaken } from '../../../platform/recent-times.js'

/** One of so many usual times is beyond the usual range. */
export const ONE_BEYOND = 10
/** A time that is this many times as long as the longest of the usual range, and not short, is long. */
const LONG = { times: 1.5, ms: 6 } as const
/** How much the longest of the usual range grows or shrinks with each time that is learned. */
const LEARNED = { more: 0.045, less: 0.045 / (ONE_BEYOND - 1) } as const

/** How many things were done, and how many of them took long. */
export interface Done {
  readonly count: number
  readonly long: number
}

/** The time that nine of ten things of one kind usually take at most. Pure. */
export class UsualRange {
  /** Milliseconds; undefined before anything was learned. */
  #longest: number | undefined

  /** Learns of times, of which one in ten is longer than the usual range in the long run. */
  learn(times: readonly TimeTaken[]): void {
    for (const { tookMs } of times) {
      const longest = this.#longest ?? tookMs
      this.#longest = longest * (tookMs > longest ? 1 + LEARNED.more : 1 - LEARNED.less)
    }
  }

  /** Counts the times that are clearly beyond the usual range. */
  count(times: readonly TimeTaken[]): Done {
    const limit = this.#longest && Math.max(LONG.ms, LONG.times * this.#longest)
    const long = limit === undefined ? 0 : times.filter(({ tookMs }) => tookMs > limit).length
    return { count: times.length, long }
  }
}
