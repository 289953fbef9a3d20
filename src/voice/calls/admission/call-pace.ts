/**
 * Decides how many new calls a second an overloaded process takes.
 *
 *   free ──growing, too long──▶ draining ──usual──▶ paced ──two seconds without a refusal──▶ free
 *                                ▲                   │
 *                                └──────too long─────┘
 *
 * free: every call is taken · draining: none is taken, so that those that wait catch up · paced: so many a
 * second are taken that the delay stays usual: fewer while it is longer, slowly more while it is not (as
 * the rate-based control of RFC 7415 has it). Pure: the caller brings the time.
 */
import { UsualRate } from './usual-rate.js'

/**
 * usual: as without an overload · longer: longer than calls may wait · growing: much longer, and more so in
 * every turn · too-long: beyond the limit
 */
export type MeasuredDelay = 'usual' | 'longer' | 'growing' | 'too-long'

/** The pace never falls below this, or nothing would tell that calls are quick again. */
const MIN_PER_SECOND = 2
/** The part of the calls that were taken in the second before which an overload leaves at first. */
const FIRST_PART = 0.7
/** The part of the pace that is left when the delay exceeds the limit all the same. */
const AGAIN_PART = 0.7
/** The part of the pace that is left when the delay is longer than usual. */
const SLOWER_PART = 0.9
/** The time after which the effect of a slower pace shows. */
const SHOWS_MS = 300
/** The part of itself by which the pace grows at each turn for every second since it was cut, and the most. */
const GROWTH_PER_SECOND = 0.01
const MAX_GROWTH = 0.02
/** The time without a refusal after which every call is taken again. */
const FREE_MS = 2_000
/** The calls of this many milliseconds may come at once. */
const BURST_MS = 50
const SECOND_MS = 1_000

interface Paced {
  readonly is: 'paced'
  readonly perSecond: number
  /** When it was cut last. */
  readonly cutAt: number
}
type State =
  | { readonly is: 'free' }
  | { readonly is: 'draining'; readonly perSecond: number }
  | Paced

export class CallPace {
  #state: State = { is: 'free' }
  /** When each call of the last second was taken. */
  #taken: readonly number[] = []
  /** Learned while no call is refused. */
  readonly #usualRate = new UsualRate()
  #refusedAt = 0
  /** How many calls the pace allowed at a moment. */
  #allowed = { calls: 0, at: 0 }

  /** The calls that are taken in a second; undefined: all. While none is taken, those that will be. */
  get perSecond(): number | undefined {
    return this.#state.is === 'free' ? undefined : this.#state.perSecond
  }

  /** True when the pace cannot fall any more. */
  get isLeast(): boolean {
    return this.#state.is === 'paced' && this.#state.perSecond <= MIN_PER_SECOND
  }

  /** Adjusts the pace. To be called twenty times a second. */
  turned(delay: MeasuredDelay, now: number): void {
    const state = this.#state
    if (state.is === 'free') this.#learnRate(now)
    else if (now - this.#refusedAt > FREE_MS) this.#state = { is: 'free' }
    else if (state.is === 'draining') this.#endDrain(delay, now)
    else this.#state = adjusted(state, delay, now)
  }

  /** True when a new call is to be refused. */
  refuses(delay: MeasuredDelay, now: number): boolean {
    this.#forgetTaken(now)
    if (delay === 'too-long' || (delay === 'growing' && this.#hasMoreCalls)) this.#drain()
    else this.#endDrain(delay, now)
    if (this.#allows(now)) {
      this.#taken = [...this.#taken, now]
      return false
    }
    this.#refusedAt = now
    return true
  }

  /** True when calls are what makes the delay grow: a stall, or other work of the machine, passes by itself. */
  get #hasMoreCalls(): boolean {
    return this.#state.is === 'free' && this.#usualRate.isExceededBy(this.#taken.length)
  }

  #learnRate(now: number): void {
    this.#forgetTaken(now)
    this.#usualRate.learn(this.#taken.length)
  }

  #forgetTaken(now: number): void {
    this.#taken = this.#taken.filter((at) => now - at < SECOND_MS)
  }

  #drain(): void {
    const before = this.#state
    if (before.is === 'draining') return
    const perSecond =
      before.is === 'free' ? FIRST_PART * this.#taken.length : AGAIN_PART * before.perSecond
    this.#state = { is: 'draining', perSecond: Math.max(MIN_PER_SECOND, perSecond) }
  }

  #endDrain(delay: MeasuredDelay, now: number): void {
    if (this.#state.is !== 'draining' || delay !== 'usual') return
    this.#state = { is: 'paced', perSecond: this.#state.perSecond, cutAt: now }
    this.#allowed = { calls: 1, at: now }
  }

  #allows(now: number): boolean {
    if (this.#state.is !== 'paced') return this.#state.is === 'free'
    const { perSecond } = this.#state
    const { calls, at } = this.#allowed
    const most = Math.max(1, (perSecond * BURST_MS) / SECOND_MS)
    const allowed = Math.min(most, calls + (perSecond * (now - at)) / SECOND_MS)
    this.#allowed = { calls: allowed < 1 ? allowed : allowed - 1, at: now }
    return allowed >= 1
  }
}

function adjusted({ perSecond, cutAt }: Paced, delay: MeasuredDelay, now: number): Paced {
  const sinceMs = now - cutAt
  if (delay === 'usual') {
    const growth = Math.min(MAX_GROWTH, (GROWTH_PER_SECOND * sinceMs) / SECOND_MS)
    return { is: 'paced', perSecond: perSecond * (1 + growth), cutAt }
  }
  if (sinceMs < SHOWS_MS) return { is: 'paced', perSecond, cutAt }
  const less = Math.max(MIN_PER_SECOND, SLOWER_PART * perSecond)
  return { is: 'paced', perSecond: less, cutAt: now }
}
