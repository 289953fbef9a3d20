/** Plays a parsed tone script sample by sample. */
import { ToneGenerator } from './tone-generator.js'
import type { ToneScript, ToneSegment } from './tone-script.js'

/** The level of the loudest sine that 16 bits hold, as teletone computes it (dBm0). */
const FULL_SCALE_DB = 3.14 + 3.02
const FULL_SCALE = 32_767 * Math.SQRT2

export class TonePlayer {
  readonly #script: ToneScript
  readonly #generator = new ToneGenerator()
  #index = -1
  #loopsLeft: number
  /** Number of completed samples of the current segment. */
  #at = 0
  #levelDb = 0
  #amplitude = 0

  constructor(script: ToneScript) {
    this.#script = script
    this.#loopsLeft = script.loops
  }

  /** Fills `into` from `start` on and returns how many samples it wrote: fewer only at the end. */
  read(into: Int16Array, start: number): number {
    let written = 0
    while (start + written < into.length) {
      const segment = this.#present()
      if (segment === undefined) break
      into[start + written] =
        this.#at < segment.onSamples && segment.frequencies.length > 0
          ? this.#generator.next() * this.#amplitudeNow(segment)
          : 0
      this.#at++
      written++
    }
    return written
  }

  #present(): ToneSegment | undefined {
    const segments = this.#script.segments
    let segment = segments[this.#index]
    while (segment === undefined || this.#at >= segment.onSamples + segment.offSamples) {
      if (++this.#index >= segments.length) {
        if (--this.#loopsLeft <= 0) return undefined
        this.#index = 0
      }
      segment = segments[this.#index]
      if (segment === undefined) return undefined
      this.#at = 0
      this.#generator.start(segment.frequencies)
      this.#setLevel(segment, segment.levelDb)
    }
    return segment
  }

  #amplitudeNow(segment: ToneSegment): number {
    const { fade } = segment
    if (fade !== undefined && this.#at > 0 && this.#at % fade.stepSamples === 0) {
      const next = this.#levelDb + fade.stepDb
      if (next <= 0 && next >= -63) this.#setLevel(segment, next)
    }
    return this.#amplitude
  }

  /** Sets the level, which several tones share. */
  #setLevel(segment: ToneSegment, levelDb: number): void {
    this.#levelDb = levelDb
    this.#amplitude =
      (10 ** ((levelDb - FULL_SCALE_DB) / 20) * FULL_SCALE) /
      Math.max(1, segment.frequencies.length)
  }
}
