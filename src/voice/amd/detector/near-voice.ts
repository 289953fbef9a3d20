/**
 * Distinguishes the answering voice from background voices such as a television's. The answering voice
 * returns to about its loudest level repeatedly; background voices never do.
 */

/** Number of frames before and after a loud frame that belong to the same voice. */
const REACH_FRAMES = 40
/** Minimum number of loud frames to distinguish voices. */
const FEWEST_LOUD = 10

export class NearVoice {
  readonly #isNear: Uint8Array
  readonly #wrap: number
  #isKnown = false

  /** `remembered` is the number of stored frames, a power of two. */
  constructor(remembered: number) {
    this.#isNear = new Uint8Array(remembered)
    this.#wrap = remembered - 1
  }

  /** Evaluates the frames from `from` up to `to` again. `isLoud` returns true for frames near the loudest. */
  judge(from: number, to: number, isLoud: (frame: number) => boolean): void {
    let loud = 0
    let judgedTo = from
    let nearTo = from
    for (let frame = from; frame < to; frame++) {
      if (isLoud(frame)) {
        loud++
        for (let i = Math.max(judgedTo, frame - REACH_FRAMES); i < frame; i++) this.#set(i, 1)
        judgedTo = frame
        nearTo = frame + REACH_FRAMES + 1
      }
      this.#set(frame, frame < nearTo ? 1 : 0)
    }
    this.#isKnown = loud >= FEWEST_LOUD
  }

  /** True for a frame that may belong to the nearest voice. */
  has(frame: number): boolean {
    return !this.#isKnown || this.#isNear[frame & this.#wrap] === 1
  }

  #set(frame: number, value: 0 | 1): void {
    this.#isNear[frame & this.#wrap] = value
  }
}
