/**
 * The time that a call without a TimeLimit may talk: the usual time, in which the time of its long Dials
 * does not count. A long Dial has a timeLimit of more than the usual time. What follows a Dial of five hours
 * would else be cut off. Times are monotonic. Pure.
 */

/** The longest time that a call may talk unless it was given another one. */
export const USUAL_TALK_MS = 4 * 3_600_000

export class TalkTime {
  /** The latest end of each long Dial that the call is in. An application that it dialled may dial too. */
  readonly #ends = new Map<symbol, number>()
  #since = 0
  #uncountedMs = 0

  /** Begins a long Dial. The returned function ends it. */
  beginLongDial(nowMs: number, limitMs: number): (nowMs: number) => void {
    const dial = Symbol('a long Dial')
    if (this.#ends.size === 0) this.#since = nowMs
    this.#ends.set(dial, nowMs + limitMs)
    return (endedMs) => {
      if (this.#ends.delete(dial) && this.#ends.size === 0)
        this.#uncountedMs += endedMs - this.#since
    }
  }

  /** The time until which a call may talk that was answered at `answeredMs`. */
  until(answeredMs: number): number {
    const dialMs = Math.max(0, ...[...this.#ends.values()].map((end) => end - this.#since))
    return answeredMs + USUAL_TALK_MS + this.#uncountedMs + dialMs
  }
}
