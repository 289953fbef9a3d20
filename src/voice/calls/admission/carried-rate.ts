import type { RecentCount } from '../../../platform/recent-count.js'

/** How much of a larger and of a smaller number of calls the rate takes over at each turn. */
const LEARNED = { more: 1 / 10, fewer: 1 / 12_000 } as const
/** The times in which more calls than the rate are looked for: many more show at once, some more later. */
const MOMENTS_MS = [200, 500] as const
/** Fewer calls a second say nothing of what the process can carry: it was never asked for more. */
const MIN_PER_SECOND = 20
/** The rate rises while so many times as many calls come, and has settled some time after. */
const RISES = 1.1
const SETTLED_MS = 1_000
const SECOND_MS = 1_000

/** How much of a smaller number is forgotten at each turn. */
const FORGOTTEN = 1 / 12_000
/** More than so many times the spread of calls that come at random is no chance. */
const NO_CHANCE = 3
/** So many times as many calls are more than were carried before. */
const MORE = 1.2
/** The turns of a second. */
const TURNS = 20

/**
 * The most calls in a second that the process has lately carried without being late. It rises in half a
 * second, and falls in minutes. Pure: the caller brings the time.
 */
export class CarriedRate {
  #perSecond = 0
  /** The rate before it began to rise, while it rises. */
  #settled = 0
  #roseAt = Number.NEGATIVE_INFINITY
  readonly #moments = MOMENTS_MS.map((ms) => new CallMoment(ms))

  /** The most calls in a second that the process has lately carried. */
  get perSecond(): number {
    return this.#perSecond
  }

  /** Takes note of the calls that were taken. To be called twenty times a second. */
  turned(taken: RecentCount, now: number): void {
    for (const moment of this.#moments) moment.turned(taken, now)
  }

  /** Learns that the calls of the last second are not late. To be called after `turned`. */
  learn(taken: RecentCount, now: number): void {
    const calls = taken.of(SECOND_MS, now)
    if (calls > RISES * this.#perSecond) this.#roseAt = now
    if (now - this.#roseAt >= SETTLED_MS) this.#settled = this.#perSecond
    const part = calls > this.#perSecond ? LEARNED.more : LEARNED.fewer
    this.#perSecond += part * (calls - this.#perSecond)
    for (const moment of this.#moments) moment.learn()
  }

  /** Learns that the calls of the last second are too many, and that more than `perSecond` are. */
  surpassed(perSecond: number): void {
    this.#perSecond = Math.min(this.#perSecond, perSecond)
    this.#settled = Math.min(this.#settled, perSecond)
    for (const moment of this.#moments) moment.surpassed()
  }

  /** True when clearly more calls have come in the last moment than are known to be carried. */
  isSurpassedBy(came: RecentCount, now: number): boolean {
    const settled = this.#settled
    if (settled < MIN_PER_SECOND) return false
    return this.#moments.some((moment) => moment.isSurpassedBy(came, settled, now))
  }
}

/**
 * Tells whether clearly more calls come in a moment of some length than were carried before. Pure: the
 * caller brings the time.
 */
class CallMoment {
  readonly #ms: number
  /** The most calls that were carried in one moment. */
  #carried = 0
  /** The calls that were taken in the moments that the turns of the last second ended. */
  #taken: readonly number[] = []

  constructor(ms: number) {
    this.#ms = ms
  }

  /** Takes note of the calls that were taken. To be called twenty times a second. */
  turned(taken: RecentCount, now: number): void {
    this.#taken = [...this.#taken.slice(1 - TURNS), taken.of(this.#ms, now)]
  }

  /** Learns that the calls of the last second are not late. */
  learn(): void {
    this.#carried = Math.max(...this.#taken, (1 - FORGOTTEN) * this.#carried)
  }

  /** Learns that the calls of the last second are too many. */
  surpassed(): void {
    this.#taken = []
  }

  /**
   * True when more calls have come in the last moment than `perSecond` explains, and than any before had.
   * Calls come at random: some more are no sign.
   */
  isSurpassedBy(came: RecentCount, perSecond: number, now: number): boolean {
    const usual = (perSecond * this.#ms) / SECOND_MS
    const calls = came.of(this.#ms, now)
    return calls > usual + NO_CHANCE * Math.sqrt(usual) && calls > MORE * this.#carried
  }
}
