/** The spectra of the last two and a half seconds, for the analysis of a tone that has ended. */
import { BINS } from './spectrum.js'

/** Number of stored frames: the longest beep, and the audio before and after it. */
const FRAMES = 128

export class RecentSpectra {
  readonly #powers = new Float32Array(FRAMES * BINS)

  /** Stores the spectrum of a frame (`Spectrum.power`). */
  note(frame: number, power: Float64Array): void {
    this.#powers.set(power, (frame % FRAMES) * BINS)
  }

  /** Returns the power of a stored frame between two bins, both included, relative to full scale. */
  powerIn(frame: number, firstBin: number, lastBin: number): number {
    const at = (frame % FRAMES) * BINS
    const last = Math.min(BINS - 1, lastBin)
    let sum = 0
    for (let k = Math.max(1, firstBin); k <= last; k++) sum += this.#powers[at + k] ?? 0
    return sum
  }

  /** Returns the bin with the most power between two bins of a stored frame. */
  peakIn(frame: number, firstBin: number, lastBin: number): number {
    const at = (frame % FRAMES) * BINS
    let peak = Math.max(1, firstBin)
    for (let k = peak + 1; k <= Math.min(BINS - 1, lastBin); k++)
      if ((this.#powers[at + k] ?? 0) > (this.#powers[at + peak] ?? 0)) peak = k
    return peak
  }
}
