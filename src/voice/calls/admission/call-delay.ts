/**
 * Measures how late this process is with calls, so that it refuses new ones before those that it has
 * taken suffer. Three things are measured: how late the event loop comes to a timer, how long a call
 * that is admitted, or whose turn to start has come, takes to its commit, and how long the media server
 * takes to make a channel. One long pause is no overload; several late turns in a row are. Which calls are
 * taken then is the matter of `CallCap`. Pure: the caller brings the time.
 */
import { type Load, UnderWay, type Work } from '../../../platform/under-way.js'
import { CallCap, type MeasuredDelay, type SettingUp } from './call-cap.js'
import { UsualDelay } from './usual-delay.js'
import { UsualRange } from './usual-range.js'

/** The timer of the event loop is late in each of these last turns before calls are refused. */
const LOOP_TURNS = 4
/** A delay of more than this part of the limit is late, however much longer than usual. */
const LATE_PART = 1 / 4
/** While calls are held back, delays are longer than usual on purpose. */
const HELD_MS = 1_000

const KINDS = ['loop', 'setUps', 'channels'] as const
type Kind = (typeof KINDS)[number]

export class CallDelay {
  /** The number of calls that were refused for being late. */
  refused = 0
  readonly #limitMs: number
  readonly #channels: () => Load
  #turns: number[] = []
  /** The calls that are admitted and have no row yet, and those whose start is not committed yet. */
  readonly #setUps = new UnderWay()
  readonly #usual = { loop: new UsualDelay(), setUps: new UsualDelay(), channels: new UsualDelay() }
  readonly #cap = new CallCap()
  /** The time that channels usually take to be made. */
  readonly #usualChannels = new UsualRange()
  #adjustedAt = Number.NEGATIVE_INFINITY
  /** When a call was held back last. */
  #heldAt = Number.NEGATIVE_INFINITY

  /**
   * `limitMs`: the delay beyond which calls are refused; 0 refuses none. `channels`: what the media servers
   * have to do with channels.
   */
  constructor(limitMs: number, channels: () => Load) {
    this.#limitMs = limitMs
    this.#channels = channels
  }

  /** Takes the milliseconds by which the event loop was late at a timer. */
  turned(lateMs: number): void {
    this.#turns = [...this.#turns.slice(1 - LOOP_TURNS), lateMs]
  }

  /** Takes note of a call that is admitted, or starts. */
  began(now: number): Work {
    return this.#setUps.begin(now)
  }

  /** Takes note of the commit of the call. */
  stored(setUp: Work, now: number): void {
    this.#setUps.end(setUp, now)
  }

  /** Takes note that the call is not committed; nothing for one that is. */
  dropped(setUp: Work, now: number): void {
    this.#setUps.forget(setUp, now)
  }

  /** The measured delay in milliseconds: the largest one of the loop, the set-ups and the channels. */
  ms(now: number): number {
    return Math.max(...Object.values(this.#measured(this.#channels(), now)))
  }

  /** The calls that can be set up in a second, during an overload; undefined while all are taken. */
  get perSecond(): number | undefined {
    return this.#cap.perSecond
  }

  /** Adjusts the number of calls that are taken. To be called twenty times a second. */
  adjust(now: number): void {
    const load = this.#channels()
    const measured = this.#measured(load, now)
    const settingUp = this.#settingUp(load, now)
    const isHeld = now - this.#heldAt < HELD_MS
    const isFree = this.#cap.perSecond === undefined
    for (const kind of KINDS) {
      if (isFree && !isHeld && settingUp.delay !== 'too-long')
        this.#usual[kind].learn(measured[kind])
      // So few calls are no reason: each takes so long now.
      else if (this.#cap.isLow(settingUp)) this.#usual[kind].accept(measured[kind])
      else if (isHeld) this.#usual[kind].learnShorter(measured[kind])
    }
    const made = load.done.filter(({ at }) => at > this.#adjustedAt)
    const isQuiet = isFree && !isHeld && settingUp.delay === 'usual'
    if (isQuiet || this.#cap.hasLeastRoom) this.#usualChannels.learn(made)
    this.#adjustedAt = now
    this.#cap.turned(settingUp, this.#usualChannels.count(made), now)
  }

  /** True when a call that comes in is to be refused, which is counted. */
  refuses(now: number): boolean {
    return this.#counted((settingUp) => this.#cap.refuses(settingUp, now), now)
  }

  /** True when a call that is asked for, and would wait for its start, is to be refused, which is counted. */
  refusesToQueue(now: number): boolean {
    return this.#counted((settingUp) => this.#cap.refusesToQueue(settingUp), now)
  }

  /** True when a call that has waited for its start may be set up without making others wait. */
  hasRoom(now: number): boolean {
    if (this.#limitMs === 0) return true
    const hasRoom = this.#cap.hasRoom(this.#settingUp(this.#channels(), now))
    if (!hasRoom) this.#heldAt = now
    return hasRoom
  }

  #counted(refuses: (settingUp: SettingUp) => boolean, now: number): boolean {
    if (this.#limitMs === 0 || !refuses(this.#settingUp(this.#channels(), now))) return false
    this.refused += 1
    return true
  }

  #settingUp(load: Load, now: number): SettingUp {
    return {
      delay: this.#delay(this.#measured(load, now)),
      usualMs: this.#usual.setUps.ms + this.#usual.channels.ms,
      underWay: this.#setUps.count + load.underWay,
      perSecond: load.perSecond,
    }
  }

  #delay(measured: Readonly<Record<Kind, number>>): MeasuredDelay {
    const longest = Math.max(...Object.values(measured))
    if (longest > this.#limitMs) return 'too-long'
    if (!KINDS.some((kind) => this.#usual[kind].isExceededBy(measured[kind]))) return 'usual'
    const isLate = KINDS.some((kind) => this.#usual[kind].isFarExceededBy(measured[kind]))
    return isLate || longest > LATE_PART * this.#limitMs ? 'late' : 'longer'
  }

  #measured({ delayMs }: Load, now: number): Readonly<Record<Kind, number>> {
    // The least late of the last turns: one pause, however long, is not a late loop.
    const loop = this.#turns.length < LOOP_TURNS ? 0 : Math.min(...this.#turns)
    return { loop, setUps: this.#setUps.delayMs(now), channels: delayMs }
  }
}
