import { RecentCount } from './recent-count.js'
import { RecentTimes, type TimeTaken } from './recent-times.js'

const SLOT_MS = 10
const SLOTS = 100
const SECOND_MS = 1_000
/** Less than this part of the last second says nothing of what a whole one holds. */
const LEAST_BUSY_MS = 50

/** How much work of one kind there is at a moment. */
export interface Load {
  /** The median of the times of the last work and of what is under way, milliseconds; 0 for too little. */
  readonly delayMs: number
  readonly underWay: number
  /** How much would be done in a second in which there was always work, by what was done in the last one. */
  readonly perSecond: number
  /** The last 32 pieces of work that were done, however long ago; the newest is at the end. */
  readonly done: readonly TimeTaken[]
}

/** One piece of work that is under way. */
export interface Work {
  readonly at: number
}

/**
 * Work of one kind that is under way, how long it takes, and how much of it ends in a second. What is over
 * needs the same memory however much there was. Pure: the caller brings the time.
 */
export class UnderWay {
  readonly #work = new Set<Work>()
  readonly #times = new RecentTimes()
  readonly #done = new RecentCount()
  /** The milliseconds of each slot of the last second in which there was work. */
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

  /** Takes note that the work is done. */
  end(work: Work, now: number): void {
    this.#fill(now)
    if (!this.#work.delete(work)) return
    this.#times.add(now - work.at, now)
    this.#done.add(now)
  }

  /** Forgets work that is not to be done any more; nothing for work that is done. */
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

  /** As `Load` has it. */
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
    // The slot in which the time went on has what was counted of it; every later one is from a second ago.
    const kept = from === this.#filledTo ? from : Number.NEGATIVE_INFINITY
    this.#filledTo = now
    for (let slot = Math.floor(from / SLOT_MS); slot * SLOT_MS < now; slot += 1) {
      const at = slot % SLOTS
      const ms = Math.min(now, (slot + 1) * SLOT_MS) - Math.max(from, slot * SLOT_MS)
      this.#busy[at] = (slot * SLOT_MS < kept ? (this.#busy[at] ?? 0) : 0) + (isBusy ? ms : 0)
    }
  }
}
