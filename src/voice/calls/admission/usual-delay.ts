/** Half of the calls that are taken during an overload may wait this many times as long as usual. */
export const TIMES_USUAL = 1.75
/** A delay of this many times the usual one, and so many milliseconds, is no chance. */
const FAR = { times: 4, ms: 25 } as const
/** A delay that is never too long: timers are no more exact. */
const SHORT_MS = 6
/** How much of a shorter and of a longer delay the usual one takes over each time. */
const LEARNED = { shorter: 1 / 32, longer: 1 / 1_000, anyway: 1 / 16 } as const

/** The usual time of one thing that calls wait for. Pure. */
export class UsualDelay {
  #ms: number | undefined

  /** The milliseconds that it usually takes; 0 before anything was learned. */
  get ms(): number {
    return this.#ms ?? 0
  }

  /** Learns of a delay while no call is refused. A longer one is learned slowly: it may be an overload. */
  learn(delayMs: number): void {
    this.#take(delayMs, LEARNED.longer)
  }

  /** Learns of a delay while calls are held back, which makes it longer. */
  learnShorter(delayMs: number): void {
    if (delayMs < this.ms) this.#take(delayMs, 0)
  }

  /** Learns of a delay that no refusals make shorter. */
  accept(delayMs: number): void {
    this.#take(delayMs, LEARNED.anyway)
  }

  /** True when the delay is longer than calls may wait during an overload. */
  isExceededBy(delayMs: number): boolean {
    return this.#ms !== undefined && delayMs > Math.max(SHORT_MS, TIMES_USUAL * this.#ms)
  }

  /** True when the delay is longer than the differences between calls explain. */
  isFarExceededBy(delayMs: number): boolean {
    return this.#ms !== undefined && delayMs > Math.max(FAR.ms, FAR.times * this.#ms)
  }

  #take(delayMs: number, partOfLonger: number): void {
    // Nothing was measured.
    if (delayMs === 0) return
    const before = this.#ms ?? delayMs
    const part = delayMs < before ? LEARNED.shorter : partOfLonger
    this.#ms = before + part * (delayMs - before)
  }
}
