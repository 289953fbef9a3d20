import type { TimeTaken } from '../../../platform/recent-times.js'

/** Half of the calls that are admitted during an overload may take this many times the baseline. */
export const TIMES_BASELINE = 1.75
/** A delay above both this multiple of the baseline and this many ms is high: chance does not explain it. */
const HIGH = { times: 4, ms: 25 } as const
/** A delay up to this many ms is never raised: timers are no more exact. */
const MIN_RAISED_MS = 6
/** Smoothing factors of the baseline, per sample. */
const SMOOTHING = { shorter: 1 / 32, longer: 1 / 1_000, any: 1 / 16 } as const

/**
 * The baseline of a delay: its moving average without an overload, which falls fast and rises slowly. Pure.
 */
export class BaselineDelay {
  #ms: number | undefined

  /** In ms; 0 before the first sample. */
  get ms(): number {
    return this.#ms ?? 0
  }

  /** Adds a sample while no call is refused. A longer delay has little weight: it may be an overload. */
  learn(delayMs: number): void {
    this.#add(delayMs, SMOOTHING.longer)
  }

  /** Adds a sample only if it is shorter; used while calls are limited, which makes delays longer. */
  learnShorter(delayMs: number): void {
    if (delayMs < this.ms) this.#add(delayMs, 0)
  }

  /** Adds a sample with equal weight for longer and shorter delays; used when fewer calls would not help. */
  learnAny(delayMs: number): void {
    this.#add(delayMs, SMOOTHING.any)
  }

  /** True when the delay is longer than calls may take during an overload. */
  isRaised(delayMs: number): boolean {
    return this.#ms !== undefined && delayMs > Math.max(MIN_RAISED_MS, TIMES_BASELINE * this.#ms)
  }

  /** True when the delay is longer than the variation between calls explains. */
  isHigh(delayMs: number): boolean {
    return this.#ms !== undefined && delayMs > Math.max(HIGH.ms, HIGH.times * this.#ms)
  }

  #add(delayMs: number, smoothingOfLonger: number): void {
    // 0 means that nothing was measured.
    if (delayMs === 0) return
    const before = this.#ms ?? delayMs
    const smoothing = delayMs < before ? SMOOTHING.shorter : smoothingOfLonger
    this.#ms = before + smoothing * (delayMs - before)
  }
}

/** One in this many times is longer than the 90th percentile. */
export const ONE_BEYOND = 10
/** A time above both this multiple of the 90th percentile and this many ms is slow. */
const SLOW = { times: 1.5, ms: 6 } as const
/** Relative steps of the estimate for longer and shorter samples; balanced when nine of ten are shorter. */
const STEPS = { up: 0.045, down: 0.045 / (ONE_BEYOND - 1) } as const

/** The number of finished set-ups, and how many were slow. */
export interface SetUpCount {
  readonly count: number
  readonly slow: number
}

/** The 90th percentile of set-up times without an overload, by stochastic approximation. Pure. */
export class BaselineP90 {
  /** In ms; undefined before the first sample. */
  #ms: number | undefined

  learn(times: readonly TimeTaken[]): void {
    for (const { tookMs } of times) {
      const ms = this.#ms ?? tookMs
      this.#ms = ms * (tookMs > ms ? 1 + STEPS.up : 1 - STEPS.down)
    }
  }

  count(times: readonly TimeTaken[]): SetUpCount {
    const limit = this.#ms && Math.max(SLOW.ms, SLOW.times * this.#ms)
    const slow = limit === undefined ? 0 : times.filter(({ tookMs }) => tookMs > limit).length
    return { count: times.length, slow }
  }
}
