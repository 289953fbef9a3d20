/**
 * Decides how many new calls a second an overloaded process takes.
 *
 *            ┌───late, and clearly more calls than were ever carried──────┐
 *            │                                                             ▼
 *   free ────┴─too long──▶ draining ──late no more─────────────────────▶ paced
 *     ▲                        ▲                                         │ │
 *     │                        └──────────────too long───────────────────┘ │
 *     └───────no more calls than were carried, or none refused─────────────┘
 *
 * free: every call is taken · draining: none is taken, so that those that wait catch up · paced: so many a
 * second are taken that the delay stays usual: fewer while it is longer, slowly more while it is not (as
 * the rate-based control of RFC 7415 has it). Pure: the caller brings the time.
 */
import { CarriedRate } from './carried-rate.js'
import { RecentCount } from './recent-count.js'

/**
 * usual: as without an overload · longer: longer than calls may wait in an overload · late: so long that it
 * is no chance · too-long: beyond the limit
 */
export type MeasuredDelay = 'usual' | 'longer' | 'late' | 'too-long'

/** The pace never falls below this, or nothing would tell that calls are quick again. */
const MIN_PER_SECOND = 2
/** The part of the calls that were taken in the second before which an overload leaves at first. */
const FIRST_PART = 0.7
/** The part of what is known to be carried that is left when clearly more calls come, and are late. */
const CARRIED_PART = 0.85
/** The part of the pace that is left when the delay exceeds the limit all the same. */
const AGAIN_PART = 0.7
/** The part of the pace that is left when the delay is longer than usual. */
const SLOWER_PART = 0.9
/** The time after which the effect of a slower pace shows. */
const SHOWS_MS = 300
/** The part of itself by which the pace grows at each turn for every second since it was cut, and the most. */
const GROWTH_PER_SECOND = 0.01
const MAX_GROWTH = 0.02
/** The part while the rate is searched, so that one that is much too low is soon left. */
const FIRST_GROWTH = 0.04
/** With this part of the calls that are known to be carried, it is not they that make the delay longer. */
const FEW_PART = 0.4
/** The time that a pace is kept at least, so that it shows. */
const SETTLES_MS = 500
/** The time without a refusal after which every call is taken again. */
const FREE_MS = 2_000
/** The calls of this many milliseconds may come at once. */
const BURST_MS = 250
const SECOND_MS = 1_000

interface Paced {
  readonly is: 'paced'
  readonly perSecond: number
  /** When it was cut last. */
  readonly cutAt: number
  readonly since: number
  /** searched: only what was carried before is known · cut: what is too much is known too */
  readonly rate: 'searched' | 'cut'
}
type State =
  | { readonly is: 'free' }
  | { readonly is: 'draining'; readonly perSecond: number }
  | Paced

export class CallPace {
  #state: State = { is: 'free' }
  /** The calls that came, and of them those that were taken. */
  readonly #came = new RecentCount()
  readonly #taken = new RecentCount()
  readonly #carried = new CarriedRate()
  #refusedAt = 0
  /** How many calls the pace allowed at a moment. */
  #allowed = { calls: 0, at: 0 }

  /** The calls that are taken in a second; undefined: all. While none is taken, those that will be. */
  get perSecond(): number | undefined {
    return this.#state.is === 'free' ? undefined : this.#state.perSecond
  }

  /** True when so few calls are taken that it is not they that make the delay longer. */
  get isLow(): boolean {
    const least = Math.max(MIN_PER_SECOND, FEW_PART * this.#carried.perSecond)
    return this.#state.is === 'paced' && this.#state.perSecond <= least
  }

  /** Adjusts the pace. To be called twenty times a second. */
  turned(delay: MeasuredDelay, now: number): void {
    this.#carried.turned(this.#taken, now)
    if (delay === 'usual') this.#carried.learn(this.#taken, now)
    const state = this.#state
    if (state.is === 'free') return
    if (now - this.#refusedAt > FREE_MS) this.#free()
    else if (state.is === 'draining') this.#endDrain(delay, now)
    else if (this.#isOver(state, delay, now)) this.#free()
    else this.#state = adjusted(state, delay, now)
  }

  /** True when a new call is to be refused. */
  refuses(delay: MeasuredDelay, now: number): boolean {
    this.#came.add(now)
    if (delay === 'too-long') this.#drain(now)
    else if (delay === 'late' || (delay === 'longer' && this.#carried.isLimit)) this.#slowDown(now)
    this.#endDrain(delay, now)
    if (this.#allows(now)) {
      this.#taken.add(now)
      return false
    }
    this.#refusedAt = now
    return true
  }

  #isOver({ since }: Paced, delay: MeasuredDelay, now: number): boolean {
    if (delay === 'too-long' || now - since < SETTLES_MS) return false
    return this.#carried.perSecond > 0 && !this.#carried.isExceededBy(this.#came, now)
  }

  #free(): void {
    this.#carried.reachedLimit()
    this.#state = { is: 'free' }
  }

  #slowDown(now: number): void {
    if (this.#state.is !== 'free' || !this.#carried.isSurpassedBy(this.#came, now)) return
    this.#carried.surpassed()
    const known = CARRIED_PART * this.#carried.perSecond
    if (this.#carried.isLimit) this.#pace(known, 'cut', now)
    else this.#pace(Math.max(known, FIRST_PART * this.#taken.of(SECOND_MS, now)), 'searched', now)
  }

  #drain(now: number): void {
    const before = this.#state
    if (before.is === 'draining') return
    this.#carried.lost()
    const perSecond =
      before.is === 'free'
        ? FIRST_PART * this.#taken.of(SECOND_MS, now)
        : AGAIN_PART * before.perSecond
    this.#state = { is: 'draining', perSecond: Math.max(MIN_PER_SECOND, perSecond) }
  }

  #endDrain(delay: MeasuredDelay, now: number): void {
    if (this.#state.is !== 'draining' || delay === 'too-long' || delay === 'late') return
    this.#pace(this.#state.perSecond, 'cut', now)
  }

  #pace(perSecond: number, rate: Paced['rate'], now: number): void {
    this.#state = { is: 'paced', perSecond, cutAt: now, since: now, rate }
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

function adjusted(state: Paced, delay: MeasuredDelay, now: number): Paced {
  const { perSecond, cutAt, rate } = state
  const sinceMs = now - cutAt
  if (delay === 'usual') {
    const later = Math.min(MAX_GROWTH, (GROWTH_PER_SECOND * sinceMs) / SECOND_MS)
    const growth = rate === 'searched' ? FIRST_GROWTH : later
    return { ...state, perSecond: perSecond * (1 + growth) }
  }
  if (sinceMs < SHOWS_MS) return state
  const less = Math.max(MIN_PER_SECOND, SLOWER_PART * perSecond)
  return { ...state, perSecond: less, cutAt: now, rate: 'cut' }
}
