/**
 * The limit of calls that are set up at once during an overload.
 *
 *            ┌───high delay, and clearly more calls than the peak goodput───────────────┐
 *            ├───high for ten calls, and nearly as many calls as can be set up──────────┤
 *            ├───raised, and more calls than were admitted in the last overload─────────┤
 *            ├───raised for a hundred calls, and more calls than can be set up──────────┤
 *            ├───delay beyond the limit─────────────────────────────────────────────────┤
 *   open ────┘                                                                          ▼
 *     ▲                                                                              limiting
 *     └──for half a second fewer calls than can be carried, or none refused in two──────┘
 *
 * open: every call is admitted · limiting: a call is admitted while fewer are being set up than the limit, and
 * none while the delay is beyond its own limit. The limit is the baseline time of a set-up times the rate of
 * set-ups (Little's law), times a factor that falls while too many set-ups are slow all the same
 * (multiplicative decrease, as in AIMD congestion control). A concurrency limit alone, such as Gradient2 of
 * Netflix's concurrency-limits, refuses calls of bursts that the server can carry, or lets calls wait several
 * times as long (docs/bench.md). Pure: the caller brings the time.
 */
import { RecentCount } from '../../../platform/recent-count.js'
import { ONE_BEYOND, type SetUpCount, TIMES_BASELINE } from './baseline.js'

/**
 * normal: as without an overload · raised: longer than calls may take in an overload · high: not explained by
 * chance · over-limit: beyond MAX_CALL_DELAY_MS
 */
export type DelayLevel = 'normal' | 'raised' | 'high' | 'over-limit'

/** The load of set-ups at a moment. */
export interface SetUpLoad {
  readonly delay: DelayLevel
  /** The baseline time of a set-up, milliseconds. */
  readonly baselineMs: number
  readonly underWay: number
  /** The rate of set-ups in a second without a pause. */
  readonly perSecond: number
}

/** Smoothing factor of the rate of set-ups, for each tick. */
const RATE_SMOOTHING = 1 / 10
/** A raised delay is an overload once so many calls could be set up while it lasts. */
const RAISED_CALLS = 100
/**
 * A high delay is an overload once so many calls could be set up while it lasts, so many are under way, and so
 * many arrive: per second, and as a part of the rate of set-ups. Where fewer arrive, chance makes so many late.
 */
const HIGH = { calls: 10, underWay: 8, perSecond: 70, ofRate: 0.9 } as const
/**
 * A raised delay is the last overload again once so many calls could be set up while it lasts, and so many
 * times as many arrive, in so many milliseconds, as were admitted in it, if it lasted for `lastedMs`. Where
 * more arrive and are not late, `smoothing` takes them over at each tick.
 */
const AGAIN = {
  calls: 3,
  ms: 500,
  perSecond: 20,
  times: 1.05,
  lastedMs: 3_000,
  smoothing: 1 / 100,
} as const
/** The limit of inbound calls, times the limit that lets none take much longer than the baseline. */
const INBOUND_TIMES = 1.5
/** The least limit, in calls: one of three that arrive while none is set up is admitted. */
const LEAST_LIMIT = 0.3
/**
 * The rate of set-ups is measured while calls are set up. In the pauses that a lower limit makes, the machine
 * does other work of calls, and the rate is overestimated. It rises at once to so many times the goodput before
 * the overload, and by `growth` at each tick beyond.
 */
const RATE = { timesGoodput: 1.2, growth: 1 / 1_000 } as const
/**
 * The overload is over with fewer arrivals than this part of the rate of set-ups, and than so many times the
 * goodput, or than so many a second. The work of a call after its set-up comes later: until then the rate of
 * set-ups is overestimated.
 */
const OVER = { ofRate: 0.9, ofGoodput: 1.08, perSecond: 18 } as const
const OVER_MS = 500
/** The time without a refusal after which every call is admitted again. */
const REOPEN_MS = 2_000
const SECOND_MS = 1_000
const TICKS_PER_SECOND = 20

interface Limiting {
  readonly is: 'limiting'
  /** The estimated rate of set-ups. */
  readonly perSecond: number
  /** When about as many calls as that arrived last. */
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
  /** When the delay was normal last. */
  #normalAt: number | undefined
  /** The calls that were admitted in the last second of the last overload that lasted. */
  #lastAdmitted = Number.POSITIVE_INFINITY
  /** The factor at its end. */
  #lastFactor = 1
  /** The fractions of the limit that refused calls have left. */
  #credit = 0

  /** The estimated rate of set-ups while calls are limited; undefined while every call is admitted. */
  get perSecond(): number | undefined {
    return this.#state.is === 'open' ? undefined : this.#state.perSecond
  }

  /** True when calls are set up one after another: fewer of them would not shorten the delay. */
  isSerial(load: SetUpLoad): boolean {
    return (this.#state.is === 'open' || this.#state.factor.isLeast) && this.#whole(load) === 1
  }

  /** True when the limit is at its least: fewer calls would not make set-ups quicker. */
  get isLeast(): boolean {
    return this.#state.is === 'limiting' && this.#state.factor.isLeast
  }

  /** Adjusts the limit. To be called twenty times a second with the set-ups since the last tick. */
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

  /** True when an inbound call is to be refused. */
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

  /** True when a call that would be queued is to be refused. It makes no overload: its start can wait. */
  refusesToQueue(load: SetUpLoad): boolean {
    if (this.#state.is === 'limiting') return !this.#admits(load)
    return load.delay === 'over-limit'
  }

  /** True when a queued call may be set up without delaying others. */
  hasRoom(load: SetUpLoad): boolean {
    return load.underWay < this.#whole(load)
  }

  /** Learns from calls that are not late. */
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

  /** True when the limit admits a call. Where it leaves half a call, it admits every second one. */
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

  /** The number of calls that can be set up in the time since the delay was normal last. */
  #setUpsSinceNormal(perSecond: number, now: number): number {
    return ((now - (this.#normalAt ?? now)) * perSecond) / SECOND_MS
  }

  /** The limit in whole calls, 1 or more. */
  #whole(load: SetUpLoad): number {
    return Math.max(1, Math.ceil(this.#limit(load)))
  }

  /** The number of set-ups at once of which none takes much longer than the baseline (Little's law). */
  #limit({ baselineMs, perSecond }: SetUpLoad): number {
    const rate = this.perSecond ?? perSecond
    return (TIMES_BASELINE * baselineMs * rate) / SECOND_MS
  }

  #reopen(now: number): void {
    this.#normalAt = now
    this.#state = { is: 'open' }
  }
}

/** The estimated rate of set-ups after a measurement of `perSecond`. */
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

/** The change of the factor for each set-up, and its bounds in one tick. It rises faster after `ON_TIME.ticks` on time. */
const STEP = { each: 0.05, down: 0.05, up: 0.02 } as const
const ON_TIME = { ticks: 8, each: 0.15, up: 0.06 } as const
const LEAST_FACTOR = 0.2

/**
 * The factor of the limit during an overload, 0.2 to 1. The work of a call after its set-up takes an unknown
 * share of the machine: the factor falls while more than one in ten set-ups are slow, and rises while fewer
 * are. Pure.
 */
class LimitFactor {
  #value: number
  #ticksOnTime = 0

  /** Begins with the factor at the end of an earlier overload, or 1. */
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

  /** To be called twenty times a second with the set-ups since the last tick. */
  tick({ count, slow }: SetUpCount, isNormal: boolean): void {
    this.#ticksOnTime = isNormal && slow === 0 ? this.#ticksOnTime + 1 : 0
    const step = this.#ticksOnTime > ON_TIME.ticks ? ON_TIME : STEP
    const change = (step.each * (count - ONE_BEYOND * slow)) / ONE_BEYOND
    const bounded = Math.max(-STEP.down, Math.min(step.up, change))
    this.#value = Math.min(1, Math.max(LEAST_FACTOR, this.#value * (1 + bounded)))
  }
}

/** Smoothing factors of the goodput for a larger and a smaller number, for each tick. */
const GOODPUT_SMOOTHING = { up: 1 / 10, down: 1 / 12_000 } as const
/** The windows in which more arrivals than the goodput are looked for: many more show at once, some more later. */
const WINDOWS_MS = [200, 500] as const
/** A smaller goodput is no capacity: the process was never asked for more. */
const MIN_GOODPUT = 20
/** The goodput rises while so many times as many calls are admitted, and has settled some time after. */
const RISES = 1.1
const SETTLED_MS = 1_000

/**
 * The largest rate of admitted calls that was lately carried without delay, calls per second. It rises in
 * half a second, and falls in minutes. Pure: the caller brings the time.
 */
class PeakGoodput {
  #perSecond = 0
  /** The rate before it began to rise, while it rises. */
  #settled = 0
  #roseAt = Number.NEGATIVE_INFINITY
  readonly #windows = WINDOWS_MS.map((ms) => new PeakWindow(ms))

  get perSecond(): number {
    return this.#perSecond
  }

  /** To be called twenty times a second. */
  tick(admitted: RecentCount, now: number): void {
    for (const window of this.#windows) window.tick(admitted, now)
  }

  /** Learns that the calls of the last second are not late. To be called after `tick`. */
  learn(admitted: RecentCount, now: number): void {
    const calls = admitted.of(SECOND_MS, now)
    if (calls > RISES * this.#perSecond) this.#roseAt = now
    if (now - this.#roseAt >= SETTLED_MS) this.#settled = this.#perSecond
    const smoothing = calls > this.#perSecond ? GOODPUT_SMOOTHING.up : GOODPUT_SMOOTHING.down
    this.#perSecond += smoothing * (calls - this.#perSecond)
    for (const window of this.#windows) window.learn()
  }

  /** Learns that the calls of the last second are too many, and that more than `perSecond` are. */
  lower(perSecond: number): void {
    this.#perSecond = Math.min(this.#perSecond, perSecond)
    this.#settled = Math.min(this.#settled, perSecond)
    for (const window of this.#windows) window.clear()
  }

  /** True when clearly more calls have arrived in one of the last windows than were ever carried. */
  isExceededBy(arrived: RecentCount, now: number): boolean {
    const settled = this.#settled
    if (settled < MIN_GOODPUT) return false
    return this.#windows.some((window) => window.isExceededBy(arrived, settled, now))
  }
}

/** How much of a smaller peak is forgotten at each tick. */
const PEAK_DECAY = 1 / 12_000
/** A count beyond so many standard deviations of random arrivals is not explained by chance. */
const DEVIATIONS = 3
/** So many times as many calls are more than the peak. */
const TIMES_PEAK = 1.2

/** The most calls that were carried in a window of some length. Pure: the caller brings the time. */
class PeakWindow {
  readonly #ms: number
  #peak = 0
  /** The calls that were admitted in the windows that the ticks of the last second ended. */
  #admitted: readonly number[] = []

  constructor(ms: number) {
    this.#ms = ms
  }

  /** To be called twenty times a second. */
  tick(admitted: RecentCount, now: number): void {
    this.#admitted = [...this.#admitted.slice(1 - TICKS_PER_SECOND), admitted.of(this.#ms, now)]
  }

  /** Learns that the calls of the last second are not late. */
  learn(): void {
    this.#peak = Math.max(...this.#admitted, (1 - PEAK_DECAY) * this.#peak)
  }

  /** Forgets the windows of the last second, whose calls were too many. */
  clear(): void {
    this.#admitted = []
  }

  /** True when more calls have arrived in the last window than random arrivals at `perSecond` explain, and than the peak. */
  isExceededBy(arrived: RecentCount, perSecond: number, now: number): boolean {
    const mean = (perSecond * this.#ms) / SECOND_MS
    const calls = arrived.of(this.#ms, now)
    return calls > mean + DEVIATIONS * Math.sqrt(mean) && calls > TIMES_PEAK * this.#peak
  }
}
