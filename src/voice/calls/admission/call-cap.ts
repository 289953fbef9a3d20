/**
 * Decides which new calls an overloaded process takes.
 *
 *            ┌───late, and clearly more calls than were ever carried────────────────────┐
 *            ├───longer than usual for a hundred calls, and more than it can set up─────┤
 *            ├───too long───────────────────────────────────────────────────────────────┤
 *   free ────┘                                                                          ▼
 *     ▲                                                                               capped
 *     └──for half a second fewer calls than it can set up, or none refused in two──────┘
 *
 * free: every call is taken · capped: a call is taken while so few are being set up that it will not wait
 * much longer than usual, and none while the delay is too long. How many that is follows from the time that
 * a call usually takes and from how many are set up in a second (Little's law). Pure: the caller brings the
 * time.
 */
import { RecentCount } from '../../../platform/recent-count.js'
import { CarriedRate } from './carried-rate.js'
import { TIMES_USUAL } from './usual-delay.js'

/**
 * usual: as without an overload · longer: longer than calls may wait in an overload · late: so long that it
 * is no chance · too-long: beyond the limit
 */
export type MeasuredDelay = 'usual' | 'longer' | 'late' | 'too-long'

/** What the process does with calls at a moment. */
export interface SettingUp {
  readonly delay: MeasuredDelay
  /** The time that a call usually takes, milliseconds. */
  readonly usualMs: number
  /** The calls that are being set up. */
  readonly underWay: number
  /** The calls that are set up in a second that has no pause. */
  readonly perSecond: number
}

/** How much of a change in the number of calls that can be set up is taken over at each turn. */
const LEARNED = 1 / 10
/** A delay that is longer than usual while so many calls are set up is no crowd that is soon over. */
const STANDS_CALLS = 100
/** With less than this part of the calls that can be set up, the overload is over. */
const OVER_PART = 0.9
const OVER_MS = 500
/** The time without a refusal after which every call is taken again. */
const FREE_MS = 2_000
const SECOND_MS = 1_000

interface Capped {
  readonly is: 'capped'
  /** The calls that can be set up in a second. */
  readonly perSecond: number
  /** When about as many calls as that came last. */
  readonly manyAt: number
  readonly refusedAt: number
}
type State = { readonly is: 'free' } | Capped

export class CallCap {
  #state: State = { is: 'free' }
  /** The calls that came, and of them those that were taken. */
  readonly #came = new RecentCount()
  readonly #taken = new RecentCount()
  readonly #carried = new CarriedRate()
  /** When the delay was usual last. */
  #usualAt: number | undefined

  /** The calls that can be set up in a second, as far as is known; undefined: every call is taken. */
  get perSecond(): number | undefined {
    return this.#state.is === 'free' ? undefined : this.#state.perSecond
  }

  /** True when calls are set up one after another: then it is not they that make the delay longer. */
  isLow(now: SettingUp): boolean {
    return this.#most(now) === 1
  }

  /** Adjusts the number of calls. To be called twenty times a second. */
  turned({ delay, perSecond }: SettingUp, now: number): void {
    this.#carried.turned(this.#taken, now)
    if (delay === 'usual') this.#usualAt = now
    const state = this.#state
    if (state.is === 'free') {
      if (delay === 'usual') this.#carried.learn(this.#taken, now)
      return
    }
    const known = state.perSecond + LEARNED * (perSecond - state.perSecond)
    const isMany = this.#came.of(SECOND_MS, now) > OVER_PART * known
    this.#state = { ...state, perSecond: known, manyAt: isMany ? now : state.manyAt }
    if (delay !== 'too-long' && isOver(this.#state, now)) this.#free(now)
  }

  /** True when a call that comes in is to be refused. */
  refuses(settingUp: SettingUp, now: number): boolean {
    this.#came.add(now)
    if (this.#state.is === 'free' && this.#isOverload(settingUp, now)) {
      const { perSecond } = settingUp
      this.#carried.surpassed(perSecond)
      this.#state = { is: 'capped', perSecond, manyAt: now, refusedAt: now }
    }
    const state = this.#state
    if (state.is === 'free' || this.#isQuick(settingUp)) {
      this.#taken.add(now)
      return false
    }
    this.#state = { ...state, refusedAt: now }
    return true
  }

  /**
   * True when a call that is asked for is to be refused. It would wait for its start, so it makes no
   * overload.
   */
  refusesToQueue(settingUp: SettingUp): boolean {
    if (this.#state.is === 'capped') return !this.#isQuick(settingUp)
    return settingUp.delay === 'too-long'
  }

  /** True when a call that has waited for its start may be set up without making others wait. */
  hasRoom(settingUp: SettingUp): boolean {
    return settingUp.underWay < this.#most(settingUp)
  }

  #isQuick(settingUp: SettingUp): boolean {
    return settingUp.delay !== 'too-long' && this.hasRoom(settingUp)
  }

  #isOverload({ delay, perSecond }: SettingUp, now: number): boolean {
    if (delay === 'too-long') return true
    if (delay === 'late' && this.#carried.isSurpassedBy(this.#came, now)) return true
    if (this.#usualAt === undefined || this.#came.of(SECOND_MS, now) <= perSecond) return false
    return ((now - this.#usualAt) * perSecond) / SECOND_MS > STANDS_CALLS
  }

  /** The most calls that are set up at once. */
  #most({ usualMs, perSecond }: SettingUp): number {
    const known = this.perSecond ?? perSecond
    return Math.max(1, Math.ceil((TIMES_USUAL * usualMs * known) / SECOND_MS))
  }

  #free(now: number): void {
    this.#usualAt = now
    this.#state = { is: 'free' }
  }
}

function isOver({ manyAt, refusedAt }: Capped, now: number): boolean {
  return now - manyAt > OVER_MS || now - refusedAt > FREE_MS
}
