/**
 * Reads one frame's spectrum: how loud it is in the speech band, which one or two tones stand out,
 * and how much of what is above the noise they are. The noise is followed bin by bin: down at once, up
 * slowly, so that speech and tones hardly lift it.
 */
import { BIN_HZ, BINS } from './spectrum.js'

/** 250–3375 Hz: what a telephone carries of speech; mains hum is below. */
const FIRST_BIN = 8
const LAST_BIN = 108
/** The level is taken up to 1900 Hz: most of a voice is there, and only half of a white noise. */
const LAST_LEVEL_BIN = 60
/** Tones are looked for between 340 and 2375 Hz. */
const FIRST_TONE_BIN = 11
const LAST_TONE_BIN = 76
/** A sine's power lies in its bin and two on each side (Hann window). */
const LOBE = 2
/** Nearer to the first peak than this is the same tone. */
const SEPARATION = 4
/** The followed floor is a low quantile of the noise; this makes it a mean. */
const FLOOR_TO_MEAN = 2.2
const FLOOR_START = 1e-9
const RISE_AT_FIRST = 1.3
const RISE = 1.03
const FALL = 0.3
const FIRST_FRAMES = 20
/** A tone stands at least so far above the noise in its bins (power ratio). */
const PROMINENCE = 8
/** Least share of a frame's power above the noise; runs ask for more on average. */
const MIN_SHARE = 0.5
/** A second tone is at most 7 dB below the first; what is fainter is noise or a harmonic. */
const SECOND_TONE = 0.2
/** Mean square of −52 dB below full scale. */
const AUDIBLE = 6e-6
const SILENCE_DB = -90

export class FrameReading {
  /** Level of 250–1900 Hz, dB below full scale. */
  levelDb = SILENCE_DB
  /** Level of the whole band. */
  soundDb = SILENCE_DB
  isTonal = false
  /** Hz of the strongest tone, and of a second one or 0. */
  first = 0
  second = 0
  /** Power of the tones, and of all that is above the noise; mean squares. */
  tonePower = 0
  signalPower = 0
  /** Power of the followed noise, mean square. */
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

/** Hz of a peak between bins, by the parabola through three logarithms. */
function interpolate(power: Float64Array, peak: number): number {
  const left = Math.log((power[peak - 1] ?? 0) + 1e-15)
  const middle = Math.log((power[peak] ?? 0) + 1e-15)
  const right = Math.log((power[peak + 1] ?? 0) + 1e-15)
  const curve = left - 2 * middle + right
  const shift = curve < 0 ? (left - right) / (2 * curve) : 0
  return (peak + Math.max(-0.5, Math.min(0.5, shift))) * BIN_HZ
}
