/**
 * Measures how late this process is with calls, so that it refuses new ones before those that it has
 * taken suffer. Two things are measured: how late the event loop comes to a timer, and how long a call
 * takes from its INVITE to its row in the database. One long pause is no overload; several late turns
 * in a row are. Pure: the caller brings the time.
 */

/** The timer of the event loop is late in each of these last turns before calls are refused. */
const LOOP_TURNS = 4
/** The set-ups that are looked at, and how many of them it takes. */
const SET_UPS = 16
const MIN_SET_UPS = 4
/** The age of a set-up that says nothing any more: calls are then taken again, and measured again. */
const SET_UP_KEPT_MS = 1_000

interface SetUp {
  readonly at: number
  readonly tookMs: number
}

export class CallDelay {
  /** The number of calls that were refused for being late. */
  refused = 0
  readonly #limitMs: number
  #turns: number[] = []
  #setUps: SetUp[] = []

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
    this.#setUps = [...this.#setUps.slice(1 - SET_UPS), { at: now, tookMs }]
  }

  /** The measured delay in milliseconds: the larger one of the loop's and the set-ups'. */
  ms(now: number): number {
    return Math.max(this.#loopMs(), this.#setUpMs(now))
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

  /** The median of the last set-ups. */
  #setUpMs(now: number): number {
    const took = this.#setUps
      .filter(({ at }) => now - at < SET_UP_KEPT_MS)
      .map(({ tookMs }) => tookMs)
      .sort((one, other) => one - other)
    return took.length < MIN_SET_UPS ? 0 : (took[Math.floor(took.length / 2)] ?? 0)
  }
}
