/**
 * Analyses one frame's spectrum: its level in the speech band, the one or two tones that stand out, and their
 * share of the power above the noise. The noise estimate of each bin falls at once and rises slowly, so that
 * speech and tones hardly raise it.
 */
import { BIN_HZ, BINS, peakShift } from './spectrum.js'

/** Lowest bin that is read. 250–3375 Hz is the telephone's speech band; mains hum is below. */
const FIRST_BIN = 8
const LAST_BIN = 108
/** Highest bin of the level, 1900 Hz: most of a voice is below it, but only half of white noise. */
const LAST_LEVEL_BIN = 60
/** Lowest bin of the search for tones, which lie between 340 and 2375 Hz. */
const FIRST_TONE_BIN = 11
const LAST_TONE_BIN = 76
/** Bins on each side of a sine's bin that contain its power (Hann window). */
const LOBE = 2
/** Minimum distance of a second tone from the first peak, in bins; a nearer peak is the same tone. */
const SEPARATION = 4
/** Factor from the noise floor, a low quantile, to the noise's mean. */
const FLOOR_TO_MEAN = 2.2
const FLOOR_START = 1e-9
const RISE_AT_FIRST = 1.3
const RISE = 1.03
const FALL = 0.3
const FIRST_FRAMES = 20
/** Minimum power ratio of a tone to the noise in its bins. */
const PROMINENCE = 8
/** Minimum share of a tone in a frame's power above the noise. Runs require more on average. */
const MIN_SHARE = 0.5
/** Minimum power of a second tone relative to the first: 7 dB below. A weaker one is noise or a harmonic. */
const SECOND_TONE = 0.2
/** Minimum mean square of an audible frame: −52 dB relative to full scale. */
const AUDIBLE = 6e-6
const SILENCE_DB = -90

export class FrameReading {
  /** Level of 250–1900 Hz in dB relative to full scale. */
  levelDb = SILENCE_DB
  /** Level of the whole band in dB relative to full scale. */
  soundDb = SILENCE_DB
  isTonal = false
  /** Frequency of the strongest tone in Hz; `second` is that of a second tone, or 0. */
  first = 0
  second = 0
  /** Mean square of the tones' power; `signalPower` is all power above the noise. */
  tonePower = 0
  signalPower = 0
  /** Mean square of the estimated noise. */
  noisePower = 0
  readonly #floor = new Float64Array(BINS).fill(FLOOR_START)
  #frames = 0

  /** Reads a spectrum (`Spectrum.power`) into the fields. */
  read(power: Float64Array): void {
    let total = 0
    let voiced = 0
    let noise = 0
    let peak = FIRST_TONE_BIN
    for (let k = FIRST_BIN; k <= LAST_BIN; k++) {
      const one = power[k] ?? 0
      total += one
      if (k <= LAST_LEVEL_BIN) voiced += one
      noise += this.#follow(k, one)
      if (k >= FIRST_TONE_BIN && k <= LAST_TONE_BIN && one > (power[peak] ?? 0)) peak = k
    }
    this.#frames++
    this.noisePower = FLOOR_TO_MEAN * noise
    this.levelDb = decibels(voiced)
    this.soundDb = decibels(total)
    this.#readTones(power, peak, Math.max(0, total - this.noisePower), total)
  }

  #readTones(power: Float64Array, peak: number, signal: number, total: number): void {
    const main = lobePower(power, peak)
    const noiseThere = FLOOR_TO_MEAN * lobePower(this.#floor, peak)
    this.first = interpolate(power, peak)
    this.second = 0
    this.tonePower = main - noiseThere
    this.signalPower = Math.max(signal, this.tonePower)
    const other = highestApart(power, peak)
    const otherPower = lobePower(power, other) - FLOOR_TO_MEAN * lobePower(this.#floor, other)
    if (otherPower > SECOND_TONE * main && this.#isPeak(power, other)) {
      this.second = interpolate(power, other)
      this.tonePower += otherPower
    }
    this.isTonal =
      total > AUDIBLE &&
      main > PROMINENCE * noiseThere &&
      this.tonePower >= MIN_SHARE * this.signalPower
  }

  #isPeak(power: Float64Array, k: number): boolean {
    const one = power[k] ?? 0
    return one >= (power[k - 1] ?? 0) && one >= (power[k + 1] ?? 0)
  }

  #follow(k: number, power: number): number {
    const floor = this.#floor[k] ?? FLOOR_START
    const rise = this.#frames < FIRST_FRAMES ? RISE_AT_FIRST : RISE
    const next = power > floor ? floor * rise : floor + FALL * (power - floor)
    this.#floor[k] = Math.max(FLOOR_START, next)
    return next
  }
}

function decibels(power: number): number {
  return power > 1e-9 ? 10 * Math.log10(power) : SILENCE_DB
}

function lobePower(power: Float64Array, peak: number): number {
  let sum = 0
  for (let k = peak - LOBE; k <= peak + LOBE; k++) sum += power[k] ?? 0
  return sum
}

function highestApart(power: Float64Array, peak: number): number {
  let best = FIRST_BIN
  let highest = 0
  for (let k = FIRST_BIN; k <= LAST_BIN; k++) {
    const one = power[k] ?? 0
    if (one <= highest || Math.abs(k - peak) < SEPARATION) continue
    highest = one
    best = k
  }
  return best
}

/** Returns the interpolated frequency of a peak in Hz. */
function interpolate(power: Float64Array, peak: number): number {
  return (peak + peakShift(power[peak - 1] ?? 0, power[peak] ?? 0, power[peak + 1] ?? 0)) * BIN_HZ
}
