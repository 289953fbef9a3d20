/** The levels of the last five seconds, in dB below full scale. */

/** The number of remembered frames. */
const FRAMES = 256

export class RecentLevels {
  readonly #levels = new Float64Array(FRAMES)

  note(frame: number, db: number): void {
    this.#levels[frame % FRAMES] = db
  }

  /** The mean of the frames `from` to `to` before a frame; undefined at the start of the audio. */
  before(frame: number, { from, to }: { from: number; to: number }): number | undefined {
    return frame < from ? undefined : this.#mean(frame - from, frame - to)
  }

  /** The mean of the `count` frames that end with `frame`, and the share of them above `limitDb`. */
  upTo(frame: number, count: number, limitDb: number): { db: number; loudShare: number } {
    let loud = 0
    for (let i = frame - count + 1; i <= frame; i++)
      if ((this.#levels[i % FRAMES] ?? 0) > limitDb) loud++
    return { db: this.#mean(frame - count + 1, frame + 1), loudShare: loud / count }
  }

  #mean(from: number, to: number): number {
    let sum = 0
    for (let i = from; i < to; i++) sum += this.#levels[i % FRAMES] ?? 0
    return sum / (to - from)
  }
}
