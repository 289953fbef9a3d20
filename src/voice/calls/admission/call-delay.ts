/**
 * Measures how late this process is with calls, so that it refuses new ones before those that it has
 * taken suffer. Three things are measured: how late the event loop comes to a timer, how long a call
 * takes from its INVITE to its row in the database, and how long the media server takes to make a
 * channel. One long pause is no overload; several late turns in a row are. Which calls are taken then is the
 * matter of `CallPace`. Pure: the caller brings the time.
 */
import { RecentTimes } from '../../../platform/recent-times.js'
import { CallPace, type MeasuredDelay } from './call-pace.js'
import { UsualDelay } from './usual-delay.js'

/** The timer of the event loop is late in each of these last turns before calls are refused. */
const LOOP_TURNS = 4
/** Calls have caught up when the delay is this part of the limit, however much longer than usual. */
const CAUGHT_UP_PART = 1 / 4

const KINDS = ['loop', 'setUps', 'channels'] as const
type Kind = (typeof KINDS)[number]

export class CallDelay {
  /** The number of calls that were refused for being late. */
  refused = 0
  readonly #limitMs: number
  #turns: number[] = []
  /** The last set-ups. Older ones are forgotten, so that calls are tried again. */
  readonly #setUps = new RecentTimes()
  #channelMs = 0
  readonly #usual = { loop: new UsualDelay(), setUps: new UsualDelay(), channels: new UsualDelay() }
  readonly #pace = new CallPace()

  /** `limitMs`: the delay beyond which calls are refused; 0 refuses none. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  /** Takes the milliseconds by which the event loop was late at a timer. */
  turned(lateMs: number): void {
    this.#turns = [...this.#turns.slice(1 - LOOP_TURNS), lateMs]
  }

  /** Takes the milliseconds that a call took from its INVITE to its row. */
  setUp(tookMs: number, now: number): void {
    this.#setUps.add(tookMs, now)
  }

  /** Takes the milliseconds that the media server takes at present to make a channel. */
  channels(takeMs: number): void {
    this.#channelMs = takeMs
  }

  /** The measured delay in milliseconds: the largest one of the loop, the set-ups and the channels. */
  ms(now: number): number {
    return Math.max(...Object.values(this.#measured(now)))
  }

  /** The calls that are taken in a second during an overload; undefined while all are. */
  get perSecond(): number | undefined {
    return this.#pace.perSecond
  }

  /** Adjusts the number of calls that are taken. To be called twenty times a second. */
  adjust(now: number): void {
    const measured = this.#measured(now)
    const delay = this.#delay(now)
    for (const kind of KINDS) {
      if (this.#pace.perSecond === undefined && delay !== 'too-long')
        this.#usual[kind].learn(measured[kind])
      // So few calls are no reason: each takes so long now.
      else if (this.#pace.isLow) this.#usual[kind].accept(measured[kind])
    }
    this.#pace.turned(delay, now)
  }

  /** True when a new call is to be refused, which is counted. */
  refuses(now: number): boolean {
    if (this.#limitMs === 0 || !this.#pace.refuses(this.#delay(now), now)) return false
    this.refused += 1
    return true
  }

  #delay(now: number): MeasuredDelay {
    const measured = this.#measured(now)
    const longest = Math.max(...Object.values(measured))
    if (longest > this.#limitMs) return 'too-long'
    if (!KINDS.some((kind) => this.#usual[kind].isExceededBy(measured[kind]))) return 'usual'
    const isLate = KINDS.some((kind) => this.#usual[kind].isFarExceededBy(measured[kind]))
    return isLate || longest > CAUGHT_UP_PART * this.#limitMs ? 'late' : 'longer'
  }

  #measured(now: number): Readonly<Record<Kind, number>> {
    // The least late of the last turns: one pause, however long, is not a late loop.
    const loop = this.#turns.length < LOOP_TURNS ? 0 : Math.min(...this.#turns)
    return { loop, setUps: this.#setUps.median(now), channels: this.#channelMs }
  }
}
