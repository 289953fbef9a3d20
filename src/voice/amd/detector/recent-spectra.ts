/** The spectra of the last two and a half seconds, for what is asked of a tone once it has ended. */
import { BINS } from './spectrum.js'

/** The number of remembered frames: the longest beep, and the sound before and after it. */
const FRAMES = 128

export class RecentSpectra {
  readonly #powers = new Float32Array(FRAMES * BINS)

  /** Takes the spectrum of a frame (`Spectrum.power`). */
  note(frame: number, power: Float64Array): void {
    this.#powers.set(power, (frame % FRAMES) * BINS)
  }

  /** The power in a remembered frame from one bin to another, both included, as a share of full scale. */
  powerIn(frame: number, firstBin: number, lastBin: number): number {
    const at = (frame % FRAMES) * BINS
    const last = Math.min(BINS - 1, lastBin)
    let sum = 0
    for (let k = Math.max(1, firstBin); k <= last; k++) sum += this.#powers[at + k] ?? 0
    return sum
  }

  /** The bin with the most power from one bin to another in a remembered frame. */
  peakIn(frame: number, firstBin: number, lastBin: number): number {
    const at = (frame % FRAMES) * BINS
    let peak = Math.max(1, firstBin)
    for (let k = peak + 1; k <= Math.min(BINS - 1, lastBin); k++)
      if ((this.#powers[at + k] ?? 0) > (this.#powers[at + peak] ?? 0)) peak = k
    return peak
  }
}
