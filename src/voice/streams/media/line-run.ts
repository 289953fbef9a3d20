const SAMPLES_PER_MS = 8
/** Samples that the media server gathers before it begins; later it gathers GATHER at a time. */
const FIRST_GATHER = 160 * SAMPLES_PER_MS
const GATHER = 80 * SAMPLES_PER_MS

/** The audio given to the line since it was last quiet, counted in samples. */
export class LineRun {
  #given = 0
  #gathering = 0
  #gather = FIRST_GATHER
  #begunAt: number | undefined

  /** True while the line has been given no audio. */
  get isEmpty(): boolean {
    return this.#given === 0
  }

  /** True once the media server has gathered enough to play. */
  get isPlaying(): boolean {
    return this.#begunAt !== undefined
  }

  /** Samples that the media server waits for before it plays on. */
  get gather(): number {
    return this.#gather
  }

  /** Samples that were given to the line and not heard yet. */
  lead(now: number): number {
    const begunAt = this.#begunAt
    return this.#given - (begunAt === undefined ? 0 : (now - begunAt) * SAMPLES_PER_MS)
  }

  /** The part of `lead` that the media server plays without waiting for more. */
  playable(now: number): number {
    return this.lead(now) - this.#gathering
  }

  give(samples: number, now: number): void {
    this.#given += samples
    this.#gathering += samples
    if (this.#gathering < this.#gather) return
    this.#gathering = 0
    this.#gather = GATHER
    this.#begunAt ??= now
  }

  /** Ends the run: all audio was heard. */
  end(): void {
    this.#given = 0
    this.#gathering = 0
    this.#begunAt = undefined
  }

  /** Clears the run: all audio was dropped, and the media server gathers as at the beginning. */
  clear(): void {
    this.end()
    this.#gather = FIRST_GATHER
  }
}
