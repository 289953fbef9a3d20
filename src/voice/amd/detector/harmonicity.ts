/**
 * Measures how periodic a frame is: the highest peak of its autocorrelation at the pitches of voices,
 * computed from its power spectrum (Wiener–Khinchin). Voiced speech is near 1, noise near 0.
 */
import { BINS } from './spectrum.js'

/** The bins that are read, 90–1900 Hz: noise masks their harmonics last. */
const FIRST_BIN = 3
const LAST_BIN = 60
const SIZE = 2 * BINS
/** Lags in samples at 8 kHz: pitches of 400 to 73 Hz. */
const FIRST_LAG = 20
const LAST_LAG = 110
const LAG_STEP = 2
const LAGS = (LAST_LAG - FIRST_LAG) / LAG_STEP + 1
const USED = LAST_BIN - FIRST_BIN + 1

export class Harmonicity {
  /** Periodicity, 0 to 1. */
  value = 0
  /** The pitch in octaves above 73 Hz, 0 to 2.5. */
  octave = 0
  readonly #cosines = new Float32Array(LAGS * USED)
  /** The autocorrelation that the window leaves of a steady sine at each lag. */
  readonly #kept = new Float32Array(LAGS)

  constructor() {
    for (let lag = 0; lag < LAGS; lag++) {
      const samples = FIRST_LAG + lag * LAG_STEP
      this.#kept[lag] = windowAt(samples) / windowAt(0)
      for (let k = 0; k < USED; k++)
        this.#cosines[lag * USED + k] = Math.cos((2 * Math.PI * (k + FIRST_BIN) * samples) / SIZE)
    }
  }

  onFrame(power: Float64Array): void {
    let total = 1e-10
    for (let k = FIRST_BIN; k <= LAST_BIN; k++) total += power[k] ?? 0
    let best = 0
    let bestLag = 0
    for (let lag = 0; lag < LAGS; lag++) {
      let sum = 0
      const at = lag * USED
      for (let k = 0; k < USED; k++)
        sum += (this.#cosines[at + k] ?? 0) * (power[k + FIRST_BIN] ?? 0)
      const value = sum / (this.#kept[lag] ?? 1)
      if (value <= best) continue
      best = value
      bestLag = lag
    }
    this.value = Math.min(1, best / total)
    this.octave = Math.log2(LAST_LAG / (FIRST_LAG + bestLag * LAG_STEP))
  }
}

/** Returns the autocorrelation of the spectrum's Hann window at a lag. */
function windowAt(lag: number): number {
  let sum = 0
  for (let i = 0; i + lag < SIZE; i++) sum += hann(i) * hann(i + lag)
  return sum
}

function hann(i: number): number {
  return 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / SIZE)
}
