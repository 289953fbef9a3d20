import type { RecentCount } from '../../../platform/recent-count.js'

/** How much of a smaller number is forgotten at each turn. */
const FORGOTTEN = 1 / 12_000
/** More than so many times the spread of calls that come at random is no chance. */
const NO_CHANCE = 3
/** So many times as many calls are more than were carried before. */
const MORE = 1.2
const SECOND_MS = 1_000
/** The turns of a second. */
const TURNS = 20

/**
 * Tells whether clearly more calls come in a moment of some length than were carried before. Pure: the
 * caller brings the time.
 */
export class CallMoment {
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
