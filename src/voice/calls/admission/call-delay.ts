/**
 * Measures how late this process is with calls, so that it refuses new ones before those that it has
 * taken suffer. Three things are measured: how late the event loop comes to a timer, how long a call
 * takes from its INVITE to its row in the database, and how long the media server takes to make a
 * channel. One long pause is no overload; several late turns in a row are. Pure: the caller brings the
 * time.
 */
import { RecentTimes } from '../../../platform/recent-times.js'

/** The timer of the event loop is late in each of these last turns before calls are refused. */
const LOOP_TURNS = 4

export class CallDelay {
  /** The number of calls that were refused for being late. */
  refused = 0
  readonly #limitMs: number
  #turns: number[] = []
  /** The set-ups of the last second. Older ones are forgotten, so that calls are tried again. */
  readonly #setUps = new RecentTimes()
  #channelMs = 0

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
    return Math.max(this.#loopMs(), this.#setUps.median(now), this.#channelMs)
  }

  /** True when a new call is to be refused, which is counted. */
  refuses(now: number): boolean {
    if (this.#limitMs === 0 || this.ms(now) <= this.#limitMs) return false
    this.refused += 1
    return true
  }

  /** The least late of the last turns: one pause, however long, is not a late loop. */
  #loopMs(): number {
    return this.#turns.length < LOOP_TURNS ? 0 : Math.min(...this.#turns)
  }
}
