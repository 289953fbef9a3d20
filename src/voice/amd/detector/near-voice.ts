/**
 * Tells the voice that answers from voices behind it, such as a television's. The one that answers
 * comes back to about its loudest again and again while it talks; those behind it never do.
 */

/** How long before and after a loud frame the same voice talks. */
const REACH_FRAMES = 40
/** With fewer loud frames, the voice was too short to tell it from others. */
const FEWEST_LOUD = 10

export class NearVoice {
  readonly #isNear: Uint8Array
  readonly #wrap: number
  #isKnown = false

  /** `remembered` is the number of frames that are remembered, a power of two. */
  constructor(remembered: number) {
    this.#isNear = new Uint8Array(remembered)
    this.#wrap = remembered - 1
  }

  /** Judges the frames from `from` up to `to` anew. `isLoud` tells which are near the loudest. */
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

  /** True for a frame in which the nearest voice may talk. */
  has(frame: number): boolean {
    return !this.#isKnown || this.#isNear[frame & this.#wrap] === 1
  }

  #set(frame: number, value: 0 | 1): void {
    this.#isNear[frame & this.#wrap] = value
  }
}
