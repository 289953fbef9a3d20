import { type Done, ONE_BEYOND } from './usual-range.js'

/**
 * How much the part changes with each thing that was done, and at most at once. It grows faster once nothing
 * took long for so many turns.
 */
const STEP = { each: 0.05, less: 0.05, more: 0.02 } as const
const QUICK = { turns: 8, each: 0.15, more: 0.06 } as const
const LEAST = 0.2

/**
 * The part of the room for calls that they have during an overload, 0.2 to 1. What is done for a call after its
 * set-up takes its share of the machine, how much is not known: so the part shrinks while more than one in ten
 * set-ups take long, and grows while fewer do. Pure.
 */
export class RoomPart {
  #part: number
  #usualTurns = 0

  /** Begins with the part that an earlier overload came to, or 1. */
  constructor(begin: number) {
    this.#part = begin
  }

  get value(): number {
    return this.#part
  }

  /** True when calls have all the room. */
  get isWhole(): boolean {
    return this.#part === 1
  }

  /** True when nothing took long at the last turn. */
  get isQuick(): boolean {
    return this.#usualTurns > 0
  }

  get isLeast(): boolean {
    return this.#part === LEAST
  }

  /** To be called twenty times a second, with the set-ups since the last turn; `isUsual`: none waits longer. */
  turned({ count, long }: Done, isUsual: boolean): void {
    this.#usualTurns = isUsual && long === 0 ? this.#usualTurns + 1 : 0
    const step = this.#usualTurns > QUICK.turns ? QUICK : STEP
    const change = (step.each * (count - ONE_BEYOND * long)) / ONE_BEYOND
    const bounded = Math.max(-STEP.less, Math.min(step.more, change))
    this.#part = Math.min(1, Math.max(LEAST, this.#part * (1 + bounded)))
  }
}
