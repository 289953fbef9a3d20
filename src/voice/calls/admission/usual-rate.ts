/** A second has more calls than usual with so many times the usual number. */
const MORE_CALLS = 1.2
/** Below so many calls a second, and with more spread than this part of them, calls come in bursts. */
const STEADY = { perSecond: 20, spread: 1 / 4 } as const
/** How much of the last second's number of calls the usual one takes over each time. */
const LEARNED = 1 / 60

/** The number of calls that usually come in a second. Pure. */
export class UsualRate {
  #perSecond = 0
  /** How far single seconds are from it. */
  #spread = 0

  /** Learns how many calls the last second had. To be called twenty times a second. */
  learn(calls: number): void {
    const difference = calls - this.#perSecond
    this.#perSecond += LEARNED * difference
    this.#spread += LEARNED * (Math.abs(difference) - this.#spread)
  }

  /**
   * True when calls usually come evenly, and so many are more than that. Where they come in bursts, or
   * few do, many at once say nothing of the next seconds.
   */
  isExceededBy(calls: number): boolean {
    const isSteady =
      this.#perSecond >= STEADY.perSecond && this.#spread <= STEADY.spread * this.#perSecond
    return isSteady && calls > MORE_CALLS * this.#perSecond
  }
}
