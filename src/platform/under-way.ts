import { RecentCount } from './recent-count.js'
import { RecentTimes, type TimeTaken } from './recent-times.js'

const SLOT_MS = 10
const SLOTS = 100
const SECOND_MS = 1_000
/** Minimum busy time for the rate per second, ms; a shorter time counts as this much. */
const LEAST_BUSY_MS = 50

/** How much work of one kind there is at a moment. */
export interface Load {
  /** Median duration of recent and running work, ms; 0 while there are too few. */
  readonly delayMs: number
  readonly underWay: number
  /** Work completed in the last second, per second of busy time. */
  readonly perSecond: number
  /** The last 32 completed pieces of work, newest last. */
  readonly done: readonly TimeTaken[]
}

/** One running piece of work. */
export interface Work {
  readonly at: number
}

/**
 * Running work of one kind, its recent durations and its rate. Memory for completed work is constant. Pure:
 * the caller supplies the time.
 */
export class UnderWay {
  readonly #work = new Set<Work>()
  readonly #times = new RecentTimes()
  readonly #done = new RecentCount()
  /** Busy milliseconds in each slot of the last second. */
  readonly #busy = new Float64Array(SLOTS)
  #filledTo = 0

  get count(): number {
    return this.#work.size
  }

  begin(now: number): Work {
    this.#fill(now)
    const work = { at: now }
    this.#work.add(work)
    return work
  }

  /** Records that the work is completed. */
  end(work: Work, now: number): void {
    this.#fill(now)
    if (!this.#work.delete(work)) return
    this.#times.add(now - work.at, now)
    this.#done.add(now)
  }

  /** Drops work that will not be completed; no effect on completed work. */
  forget(work: Work, now: number): void {
    this.#fill(now)
    this.#work.delete(work)
  }

  load(now: number): Load {
    return {
      delayMs: this.delayMs(now),
      underWay: this.count,
      perSecond: this.#perSecond(now),
      done: this.#times.last,
    }
  }

  /** Returns `delayMs` of `Load`. */
  delayMs(now: number): number {
    const ages = [...this.#work].map(({ at }) => now - at)
    return this.#times.median(now, ages)
  }

  #perSecond(now: number): number {
    this.#fill(now)
    const busyMs = this.#busy.reduce((sum, ms) => sum + ms, 0)
    return (SECOND_MS * this.#done.of(SECOND_MS, now)) / Math.max(LEAST_BUSY_MS, busyMs)
  }

  #fill(now: number): void {
    const isBusy = this.#work.size > 0
    const from = Math.max(this.#filledTo, now - SECOND_MS)
    // The slot that contains `from` keeps its count; later slots hold values from a second ago and are reset.
    const kept = from === this.#filledTo ? from : Number.NEGATIVE_INFINITY
    this.#filledTo = now
    for (let slot = Math.floor(from / SLOT_MS); slot * SLOT_MS < now; slot += 1) {
      const at = slot % SLOTS
      const ms = Math.min(now, (slot + 1) * SLOT_MS) - Math.max(from, slot * SLOT_MS)
      this.#busy[at] = (slot * SLOT_MS < kept ? (this.#busy[at] ?? 0) : 0) + (isBusy ? ms : 0)
    }
  }
}
