const FIVE_MINUTES_S = 300

/** Counts channels and the rate at which they came. */
export class SessionCounts {
  /** True while no new channels are taken. */
  isPaused = false
  #total = 0
  #peak = 0
  /** The number of new channels in each second of the last five minutes. */
  readonly #bySecond = new Map<number, number>()

  get total(): number {
    return this.#total
  }

  get peak(): number {
    return this.#peak
  }

  /** Counts a new channel, which `live` includes. Returns its number. */
  add(live: number, now: number): number {
    this.#total++
    this.#peak = Math.max(this.#peak, live)
    const second = Math.floor(now / 1000)
    this.#bySecond.set(second, (this.#bySecond.get(second) ?? 0) + 1)
    for (const old of this.#bySecond.keys()) {
      if (old > second - FIVE_MINUTES_S) break
      this.#bySecond.delete(old)
    }
    return this.#total
  }

  lastSecond(now: number): number {
    return this.#bySecond.get(Math.floor(now / 1000) - 1) ?? 0
  }

  busiestSecond(): number {
    return Math.max(0, ...this.#bySecond.values())
  }
}
