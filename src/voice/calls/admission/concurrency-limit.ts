/**
 * The limit of concurrent call set-ups during an overload.
 *
 *            ┌───high delay, and clearly more calls than the peak goodput───────────────┐
 *            ├───high for ten calls, and nearly as many calls as can be set up──────────┤
 *            ├───raised, and more calls than were admitted in the last overload─────────┤
 *            ├───raised for a hundred calls, and more calls than can be set up──────────┤
 *            ├───delay beyond the limit─────────────────────────────────────────────────┤
 *   open ────┘                                                                          ▼
 *     ▲                                                                              limiting
 *     └──for half a second fewer calls than can be set up, or none refused in two────────┘
 *
 * open: every call is admitted · limiting: a call is admitted while fewer set-ups are in progress than the
 * limit, and none while the delay exceeds its own limit. The limit is the baseline time of a set-up times the
 * rate of set-ups (Little's law), times a factor that falls while too many set-ups are still slow
 * (multiplicative decrease, as in AIMD congestion control). A concurrency limit alone, such as Gradient2 of
 * Netflix's concurrency-limits, refuses calls of bursts that the server can handle, or makes calls wait
 * several times as long (docs/bench.md). Pure: the caller passes the time.
 */
import { RecentCount } from '../../../platform/recent-count.js'
import { ONE_BEYOND, type SetUpCount, TIMES_BASELINE } from './baseline.js'

/**
 * normal: as without an overload · raised: longer than calls may take in an overload · high: chance does not
 * explain it · over-limit: beyond MAX_CALL_DELAY_MS
 */
export type DelayLevel = 'normal' | 'raised' | 'high' | 'over-limit'

/** The load of set-ups at a moment. */
export interface SetUpLoad {
  readonly delay: DelayLevel
  /** The baseline time of a set-up, ms. */
  readonly baselineMs: number
  readonly underWay: number
  /** The rate of set-ups per second while they run without a pause. */
  readonly perSecond: number
}

/** Smoothing factor of the rate of set-ups, per tick. */
const RATE_SMOOTHING = 1 / 10
/** A raised delay is an overload once it lasts so long that this many calls could be set up meanwhile. */
const RAISED_CALLS = 100
/**
 * A high delay is an overload once it lasts so long that `calls` could be set up meanwhile, `underWay` are in
 * progress, and more than `perSecond` and `ofRate` times the rate of set-ups arrive. With fewer arrivals,
 * chance makes that many late.
 */
const HIGH = { calls: 10, underWay: 8, perSecond: 70, ofRate: 0.9 } as const
/**
 * A raised delay means that the last overload has returned, once it lasts so long that `calls` could be set
 * up meanwhile, and `times` as many calls arrive within `ms` as were admitted in it, if it lasted for
 * `lastedMs`. When more arrive and are not late, `smoothing` raises that number at each tick.
 */
const AGAIN = {
  calls: 3,
  ms: 500,
  perSecond: 20,
  times: 1.05,
  lastedMs: 3_000,
  smoothing: 1 / 100,
} as const
/**
 * The limit of inbound calls relative to the limit at which no set-up takes much longer than the baseline.
 */
const INBOUND_TIMES = 1.5
/** Minimum limit, in calls: one of three calls is admitted that arrive while none is set up. */
const LEAST_LIMIT = 0.3
/**
 * The rate of set-ups is only measured while calls are set up. With a lower limit the machine does other work
 * of calls in the pauses, so the rate is overestimated. So it rises at once only to `timesGoodput` the
 * goodput before the overload, and by `growth` per tick beyond that.
 */
const RATE = { timesGoodput: 1.2, growth: 1 / 1_000 } as const
/**
 * The overload is over when fewer calls arrive than `ofRate` times the rate of set-ups, and fewer than
 * `ofGoodput` times the goodput or `perSecond`. The work of a call after its set-up comes later; until then
 * the rate of set-ups is overestimated.
 */
const OVER = { ofRate: 0.9, ofGoodput: 1.08, perSecond: 18 } as const
const OVER_MS = 500
/** Time without a refusal after which every call is admitted again, ms. */
const REOPEN_MS = 2_000
const SECOND_MS = 1_000
const TICKS_PER_SECOND = 20

interface Limiting {
  readonly is: 'limiting'
  /** The estimated rate of set-ups. */
  readonly perSecond: number
  /** The last time at which about as many calls as `perSecond` arrived. */
  readonly manyAt: number
  /** The goodput before the overload, or in it while no set-up was slow. */
  readonly goodput: number
  readonly factor: LimitFactor
  readonly refusedAt: number
  readonly beganAt: number
}
type State = { readonly is: 'open' } | Limiting

export class ConcurrencyLimit {
  #state: State = { is: 'open' }
  readonly #arrived = new RecentCount()
  readonly #admitted = new RecentCount()
  readonly #goodput = new PeakGoodput()
  /** The last time at which the delay was normal. */
  #normalAt: number | undefined
  /** The calls admitted in the last second of the last overload that lasted long enough. */
  #lastAdmitted = Number.POSITIVE_INFINITY
  /** The limit factor at the end of that overload. */
  #lastFactor = 1
  /** Accumulated fractions of the limit, which admit a call once they add up to one. */
  #credit = 0

  /** The estimated rate of set-ups while calls are limited; undefined while every call is admitted. */
  get perSecond(): number | undefined {
    return this.#state.is === 'open' ? undefined : this.#state.perSecond
  }

  /** True when calls are set up one after another: fewer calls would not shorten the delay. */
  isSerial(load: SetUpLoad): boolean {
    return (this.#state.is === 'open' || this.#state.factor.isLeast) && this.#whole(load) === 1
  }

  /** True when the limit is at its minimum: fewer calls would not make set-ups faster. */
  get isLeast(): boolean {
    return this.#state.is === 'limiting' && this.#state.factor.isLeast
  }

  /** Adjusts the limit. Must be called twenty times a second with the set-ups since the last tick. */
  tick({ delay, perSecond }: SetUpLoad, setUps: SetUpCount, now: number): void {
    this.#goodput.tick(this.#admitted, now)
    if (delay === 'normal') this.#normalAt = now
    const state = this.#state
    if (state.is === 'open') {
      if (delay === 'normal') this.#learn(now)
      return
    }
    const rate = estimatedRate(state, perSecond)
    const admitted = this.#admitted.of(SECOND_MS, now)
    const few = Math.max(OVER.perSecond, OVER.ofGoodput * state.goodput)
    const isMany = this.#arrived.of(SECOND_MS, now) > Math.min(OVER.ofRate * rate, few)
    state.factor.tick(setUps, delay === 'normal')
    const goodput = state.factor.isOnTime ? Math.max(state.goodput, admitted) : state.goodput
    if (isMany && now - state.beganAt > AGAIN.lastedMs) {
      this.#lastAdmitted = admitted
      this.#lastFactor = state.factor.value
    }
    this.#state = { ...state, goodput, perSecond: rate, manyAt: isMany ? now : state.manyAt }
    if (delay !== 'over-limit' && isOver(this.#state, now)) this.#reopen(now)
  }

  /** True when an inbound call must be refused. */
  refuses(load: SetUpLoad, now: number): boolean {
    this.#arrived.add(now)
    if (this.#state.is === 'open' && this.#isOverload(load, now)) this.#begin(load, now)
    const state = this.#state
    if (state.is === 'open' || this.#admits(load)) {
      this.#admitted.add(now)
      return false
    }
    this.#state = { ...state, refusedAt: now }
    return true
  }

  /**
   * True when a call that would be queued must be refused. It never starts an overload, since it can wait.
   */
  refusesToQueue(load: SetUpLoad): boolean {
    if (this.#state.is === 'limiting') return !this.#admits(load)
    return load.delay === 'over-limit'
  }

  /** True when a queued call can be set up without delaying others. */
  hasRoom(load: SetUpLoad): boolean {
    return load.underWay < this.#whole(load)
  }

  /** Adapts to calls that are not late. */
  #learn(now: number): void {
    this.#goodput.learn(this.#admitted, now)
    const more = this.#admitted.of(SECOND_MS, now) - this.#lastAdmitted
    if (more <= 0) return
    this.#lastAdmitted += AGAIN.smoothing * more
    this.#lastFactor += AGAIN.smoothing * (1 - this.#lastFactor)
  }

  #begin({ perSecond }: SetUpLoad, now: number): void {
    this.#state = {
      is: 'limiting',
      perSecond,
      manyAt: now,
      goodput: this.#goodput.perSecond,
      factor: new LimitFactor(this.#lastFactor),
      refusedAt: now,
      beganAt: now,
    }
    this.#goodput.lower(perSecond)
  }

  /** True when the limit admits a call. With a remainder of half a call, admits every second one. */
  #admits(load: SetUpLoad): boolean {
    if (load.delay === 'over-limit') return false
    const factor = this.#state.is === 'limiting' ? this.#state.factor.value : 1
    const limit = Math.max(LEAST_LIMIT, factor * INBOUND_TIMES * this.#limit(load))
    const left = limit - load.underWay
    if (left <= 0) return false
    this.#credit += Math.min(1, left)
    if (this.#credit < 1) return false
    this.#credit -= 1
    return true
  }

  #isOverload({ delay, perSecond, underWay }: SetUpLoad, now: number): boolean {
    if (delay === 'over-limit') return true
    if (delay === 'normal') return false
    if (delay === 'high' && this.#goodput.isExceededBy(this.#arrived, now)) return true
    const arrived = this.#arrived.of(SECOND_MS, now)
    const since = this.#setUpsSinceNormal(perSecond, now)
    if (since > AGAIN.calls && this.#isAgain(now)) return true
    if (arrived > perSecond && since > RAISED_CALLS) return true
    const isMany = arrived > Math.max(HIGH.perSecond, HIGH.ofRate * perSecond)
    return delay === 'high' && isMany && underWay >= HIGH.underWay && since > HIGH.calls
  }

  /** True when more calls arrive than were admitted in the last overload. */
  #isAgain(now: number): boolean {
    const arrived = (this.#arrived.of(AGAIN.ms, now) * SECOND_MS) / AGAIN.ms
    return arrived > Math.max(AGAIN.perSecond, AGAIN.times * this.#lastAdmitted)
  }

  /** Returns the number of calls that could be set up since the delay was last normal. */
  #setUpsSinceNormal(perSecond: number, now: number): number {
    return ((now - (this.#normalAt ?? now)) * perSecond) / SECOND_MS
  }

  /** Returns the limit in whole calls, at least 1. */
  #whole(load: SetUpLoad): number {
    return Math.max(1, Math.ceil(this.#limit(load)))
  }

  /**
   * Returns the number of concurrent set-ups at which none takes much longer than the baseline (Little's
   * law).
   */
  #limit({ baselineMs, perSecond }: SetUpLoad): number {
    const rate = this.perSecond ?? perSecond
    return (TIMES_BASELINE * baselineMs * rate) / SECOND_MS
  }

  #reopen(now: number): void {
    this.#normalAt = now
    this.#state = { is: 'open' }
  }
}

/** Returns the new estimate of the rate of set-ups after a measurement of `perSecond`. */
function estimatedRate(
  { perSecond: before, factor, goodput }: Limiting,
  perSecond: number,
): number {
  const smoothed = before + RATE_SMOOTHING * (perSecond - before)
  if (smoothed < before || factor.isWhole) return smoothed
  const most = Math.max(RATE.timesGoodput * goodput, (1 + RATE.growth) * before)
  return Math.max(before, Math.min(smoothed, most))
}

function isOver({ manyAt, refusedAt }: Limiting, now: number): boolean {
  return now - manyAt > OVER_MS || now - refusedAt > REOPEN_MS
}

/**
 * Change of the factor per set-up, and its bounds per tick. It rises faster after `ON_TIME.ticks` ticks
 * without a slow set-up.
 */
const STEP = { each: 0.05, down: 0.05, up: 0.02 } as const
const ON_TIME = { ticks: 8, each: 0.15, up: 0.06 } as const
const LEAST_FACTOR = 0.2

/**
 * The factor of the limit during an overload, 0.2 to 1. It falls while more than one in ten set-ups are slow,
 * and rises while fewer are, because the work of a call after its set-up takes an unknown share of the
 * machine. Pure.
 */
class LimitFactor {
  #value: number
  #ticksOnTime = 0

  /** Starts with the factor at the end of an earlier overload, or 1. */
  constructor(begin: number) {
    this.#value = begin
  }

  get value(): number {
    return this.#value
  }

  get isWhole(): boolean {
    return this.#value === 1
  }

  /** True when no set-up was slow in the last tick. */
  get isOnTime(): boolean {
    return this.#ticksOnTime > 0
  }

  get isLeast(): boolean {
    return this.#value === LEAST_FACTOR
  }

  /** Must be called twenty times a second with the set-ups since the last tick. */
  tick({ count, slow }: SetUpCount, isNormal: boolean): void {
    this.#ticksOnTime = isNormal && slow === 0 ? this.#ticksOnTime + 1 : 0
    const step = this.#ticksOnTime > ON_TIME.ticks ? ON_TIME : STEP
    const change = (step.each * (count - ONE_BEYOND * slow)) / ONE_BEYOND
    const bounded = Math.max(-STEP.down, Math.min(step.up, change))
    this.#value = Math.min(1, Math.max(LEAST_FACTOR, this.#value * (1 + bounded)))
  }
}

/** Smoothing factors of the goodput, up and down, per tick. */
const GOODPUT_SMOOTHING = { up: 1 / 10, down: 1 / 12_000 } as const
/**
 * Windows in which arrivals are compared with the goodput, ms: a large excess shows at once, a small one
 * later.
 */
const WINDOWS_MS = [200, 500] as const
/** A lower goodput, in calls per second, is not used as a measure of capacity: the process was never busy. */
const MIN_GOODPUT = 20
/** The goodput counts as rising above this ratio, and as settled after this time without a rise, in ms. */
const RISES = 1.1
const SETTLED_MS = 1_000

/**
 * The highest recent rate of calls that were admitted without delay, in calls per second. It rises in half a
 * second and falls in minutes. Pure: the caller passes the time.
 */
class PeakGoodput {
  #perSecond = 0
  /** The last rate before it began to rise. */
  #settled = 0
  #roseAt = Number.NEGATIVE_INFINITY
  readonly #windows = WINDOWS_MS.map((ms) => new PeakWindow(ms))

  get perSecond(): number {
    return this.#perSecond
  }

  /** Must be called twenty times a second. */
  tick(admitted: RecentCount, now: number): void {
    for (const window of this.#windows) window.tick(admitted, now)
  }

  /** Records that the calls of the last second are not late. Must be called after `tick`. */
  learn(admitted: RecentCount, now: number): void {
    const calls = admitted.of(SECOND_MS, now)
    if (calls > RISES * this.#perSecond) this.#roseAt = now
    if (now - this.#roseAt >= SETTLED_MS) this.#settled = this.#perSecond
    const smoothing = calls > this.#perSecond ? GOODPUT_SMOOTHING.up : GOODPUT_SMOOTHING.down
    this.#perSecond += smoothing * (calls - this.#perSecond)
    for (const window of this.#windows) window.learn()
  }

  /** Records that the calls of the last second, and any rate above `perSecond`, are too many. */
  lower(perSecond: number): void {
    this.#perSecond = Math.min(this.#perSecond, perSecond)
    this.#settled = Math.min(this.#settled, perSecond)
    for (const window of this.#windows) window.clear()
  }

  /**
   * True when clearly more calls arrived in one of the last windows than were ever admitted without delay.
   */
  isExceededBy(arrived: RecentCount, now: number): boolean {
    const settled = this.#settled
    if (settled < MIN_GOODPUT) return false
    return this.#windows.some((window) => window.isExceededBy(arrived, settled, now))
  }
}

/** Decay of the peak per tick. */
const PEAK_DECAY = 1 / 12_000
/** A count more than this many standard deviations above the mean is not explained by chance. */
const DEVIATIONS = 3
/** A count above this multiple of the peak exceeds it. */
const TIMES_PEAK = 1.2

/**
 * The largest number of calls without delay in a window of fixed length. Pure: the caller passes the time.
 */
class PeakWindow {
  readonly #ms: number
  #peak = 0
  /** The calls admitted in each window that ended at a tick of the last second. */
  #admitted: readonly number[] = []

  constructor(ms: number) {
    this.#ms = ms
  }

  /** Must be called twenty times a second. */
  tick(admitted: RecentCount, now: number): void {
    this.#admitted = [...this.#admitted.slice(1 - TICKS_PER_SECOND), admitted.of(this.#ms, now)]
  }

  /** Records that the calls of the last second are not late. */
  learn(): void {
    this.#peak = Math.max(...this.#admitted, (1 - PEAK_DECAY) * this.#peak)
  }

  /** Drops the windows of the last second, which had too many calls. */
  clear(): void {
    this.#admitted = []
  }

  /**
   * True when the last window has more arrivals than the peak, and more than random arrivals at `perSecond`
   * explain.
   */
  isExceededBy(arrived: RecentCount, perSecond: number, now: number): boolean {
    const mean = (perSecond * this.#ms) / SECOND_MS
    const calls = arrived.of(this.#ms, now)
    return calls > mean + DEVIATIONS * Math.sqrt(mean) && calls > TIMES_PEAK * this.#peak
  }
}
