/**
 * Decides which new calls an overloaded process takes.
 *
 *            ┌───late, and clearly more calls than were ever carried────────────────────┐
 *            ├───late for ten calls, and nearly as many calls as it can set up──────────┤
 *            ├───longer than usual, and more calls than it took in its last overload────┤
 *            ├───longer than usual for a hundred calls, and more than it can set up─────┤
 *            ├───too long───────────────────────────────────────────────────────────────┤
 *   free ────┘                                                                          ▼
 *     ▲                                                                               capped
 *     └──for half a second fewer calls than it can carry, or none refused in two───────┘
 *
 * free: every call is taken · capped: a call is taken while so few are being set up that it will not wait
 * much longer than usual, and none while the delay is too long. How many that is follows from the time that
 * a call usually takes and from how many are set up in a second (Little's law), and is less for as long as
 * too many take long all the same.
 * Pure: the caller brings the time.
 */
import { RecentCount } from '../../../platform/recent-count.js'
import { CarriedRate } from './carried-rate.js'
import { RoomPart } from './room-part.js'
import { TIMES_USUAL } from './usual-delay.js'
import type { Done } from './usual-range.js'

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
/**
 * The same of one that is late, while so many calls are being set up and so many come, in a second and as a
 * part of those that can be set up. Where fewer come, chance makes so many late.
 */
const LATE = { calls: 10, underWay: 8, perSecond: 70, part: 0.9 } as const
/**
 * The same of one that is longer than usual, while so many times as many calls come, in so many milliseconds,
 * as were taken in the last overload, if it stood for so long. Where more than those come and are not late,
 * a part of them is added at each turn.
 */
const AGAIN = {
  calls: 3,
  ms: 500,
  perSecond: 20,
  times: 1.05,
  stoodMs: 3_000,
  learned: 1 / 100,
} as const
/** The room that incoming calls can have, times that in which none waits much longer than usual. */
const INCOMING_TIMES = 1.5
/** There is always room for a part of a call: one of three that come while none is set up. */
const LEAST_ROOM = 0.3
/**
 * How many calls are possible in a second is measured while calls are set up. In the pauses that less room makes
 * the machine does other work of calls, so the measured number is too large then. The known one rises at once to
 * so many times what was carried before the overload, and by this part at a turn beyond.
 */
const KNOWN = { timesCarried: 1.2, grows: 1 / 1_000 } as const
/**
 * The overload is over with fewer calls than this part of those that can be set up, and than so many times
 * those that were carried, or than so many a second. What is done for a call after its set-up comes later: until
 * then more calls seem possible than are.
 */
const OVER = { ofKnown: 0.9, ofCarried: 1.08, perSecond: 18 } as const
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
  /** The most calls in a second that were carried, before the overload or in it while none took long. */
  readonly carried: number
  readonly part: RoomPart
  readonly refusedAt: number
  readonly beganAt: number
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
  /** The calls that were taken in the last second of the last overload that stood for some time. */
  #takenLast = Number.POSITIVE_INFINITY
  /** The part of the room that calls had at its end. */
  #partLast = 1
  /** The room that calls had that were refused because it was less than a call. */
  #left = 0

  /** The calls that can be set up in a second, as far as is known; undefined: every call is taken. */
  get perSecond(): number | undefined {
    return this.#state.is === 'free' ? undefined : this.#state.perSecond
  }

  /** True when calls are set up one after another: then it is not they that make the delay longer. */
  isLow(now: SettingUp): boolean {
    return (this.#state.is === 'free' || this.#state.part.isLeast) && this.#most(now) === 1
  }

  /** True when calls have so little room that it is not they that make set-ups long. */
  get hasLeastRoom(): boolean {
    return this.#state.is === 'capped' && this.#state.part.isLeast
  }

  /**
   * Adjusts the number of calls. To be called twenty times a second; `done`: what was set up since the last
   * time.
   */
  turned({ delay, perSecond }: SettingUp, done: Done, now: number): void {
    this.#carried.turned(this.#taken, now)
    if (delay === 'usual') this.#usualAt = now
    const state = this.#state
    if (state.is === 'free') {
      if (delay === 'usual') this.#learn(now)
      return
    }
    const known = knownOf(state, perSecond)
    const taken = this.#taken.of(SECOND_MS, now)
    const few = Math.max(OVER.perSecond, OVER.ofCarried * state.carried)
    const isMany = this.#came.of(SECOND_MS, now) > Math.min(OVER.ofKnown * known, few)
    state.part.turned(done, delay === 'usual')
    const carried = state.part.isQuick ? Math.max(state.carried, taken) : state.carried
    const stands = isMany && now - state.beganAt > AGAIN.stoodMs
    if (stands) {
      this.#takenLast = taken
      this.#partLast = state.part.value
    }
    this.#state = { ...state, carried, perSecond: known, manyAt: isMany ? now : state.manyAt }
    if (delay !== 'too-long' && isOver(this.#state, now)) this.#free(now)
  }

  /** True when a call that comes in is to be refused. */
  refuses(settingUp: SettingUp, now: number): boolean {
    this.#came.add(now)
    if (this.#state.is === 'free' && this.#isOverload(settingUp, now)) {
      this.#begin(settingUp, now)
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

  /** Learns of calls that are not late. */
  #learn(now: number): void {
    this.#carried.learn(this.#taken, now)
    const more = this.#taken.of(SECOND_MS, now) - this.#takenLast
    if (more <= 0) return
    this.#takenLast += AGAIN.learned * more
    this.#partLast += AGAIN.learned * (1 - this.#partLast)
  }

  #begin({ perSecond }: SettingUp, now: number): void {
    this.#state = {
      is: 'capped',
      perSecond,
      manyAt: now,
      carried: this.#carried.perSecond,
      part: new RoomPart(this.#partLast),
      refusedAt: now,
      beganAt: now,
    }
    this.#carried.surpassed(perSecond)
  }

  /** True when there is room for a call. Where there is room for half a call, every second one has it. */
  #isQuick(settingUp: SettingUp): boolean {
    if (settingUp.delay === 'too-long') return false
    const part = this.#state.is === 'capped' ? this.#state.part.value : 1
    const most = Math.max(LEAST_ROOM, part * INCOMING_TIMES * this.#room(settingUp))
    const room = most - settingUp.underWay
    if (room <= 0) return false
    this.#left += Math.min(1, room)
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }

  #isOverload({ delay, perSecond, underWay }: SettingUp, now: number): boolean {
    if (delay === 'too-long') return true
    if (delay === 'usual') return false
    if (delay === 'late' && this.#carried.isSurpassedBy(this.#came, now)) return true
    const came = this.#came.of(SECOND_MS, now)
    const since = this.#setUpSinceUsual(perSecond, now)
    if (since > AGAIN.calls && this.#isAgain(now)) return true
    if (came > perSecond && since > STANDS_CALLS) return true
    const isMany = came > Math.max(LATE.perSecond, LATE.part * perSecond)
    return delay === 'late' && isMany && underWay >= LATE.underWay && since > LATE.calls
  }

  /** True when more calls come than were taken in the last overload. */
  #isAgain(now: number): boolean {
    const came = (this.#came.of(AGAIN.ms, now) * SECOND_MS) / AGAIN.ms
    return came > Math.max(AGAIN.perSecond, AGAIN.times * this.#takenLast)
  }

  /** How many calls can be set up in the time since the delay was usual last. */
  #setUpSinceUsual(perSecond: number, now: number): number {
    return ((now - (this.#usualAt ?? now)) * perSecond) / SECOND_MS
  }

  /** The most calls that are set up at once. */
  #most(settingUp: SettingUp): number {
    return Math.max(1, Math.ceil(this.#room(settingUp)))
  }

  /** How many calls may be set up at once, of which none waits much longer than usual. */
  #room({ usualMs, perSecond }: SettingUp): number {
    const known = this.perSecond ?? perSecond
    return (TIMES_USUAL * usualMs * known) / SECOND_MS
  }

  #free(now: number): void {
    this.#usualAt = now
    this.#state = { is: 'free' }
  }
}

/** The calls in a second that are known to be possible, after a measurement of `perSecond`. */
function knownOf({ perSecond: before, part, carried }: Capped, perSecond: number): number {
  const learned = before + LEARNED * (perSecond - before)
  if (learned < before || part.isWhole) return learned
  const most = Math.max(KNOWN.timesCarried * carried, (1 + KNOWN.grows) * before)
  return Math.max(before, Math.min(learned, most))
}

function isOver({ manyAt, refusedAt }: Capped, now: number): boolean {
  return now - manyAt > OVER_MS || now - refusedAt > FREE_MS
}
