/**
 * The inputs of the voice network: sixteen bands of the telephone's range around a frame, in dB relative to
 * the loudest sound so far, and the periodicity. So they describe the course of a sound and not its volume.
 */
import { Harmonicity } from './harmonicity.js'
import { BIN_HZ } from './spectrum.js'

export const BANDS = 16
/** Frames after the evaluated one that the network receives. */
export const LOOKAHEAD = 5
const SLOT_FRAMES = 3
const SLOTS = 12
const HISTORY = 64
const WRAP = HISTORY - 1
const LOW_HZ = 150
const HIGH_HZ = 3500
const FLOOR_DB = -70
/** Decay of the loudest level per frame, dB: 6 dB in ten seconds. */
const FORGOTTEN_DB = 0.012
const LOUD_RISE = 0.25
const NOISE_RISE_DB = 0.08
const NOISE_FALL = 0.2

/**
 * Number of inputs: the slots around the frame with their periodicity, the frame itself, its distance from
 * each band's noise, its periodicity and pitch, its level, and the time.
 */
export const INPUTS = SLOTS * (BANDS + 1) + 2 * BANDS + 4

export class VoiceInput {
  readonly vector = new Float32Array(INPUTS)
  readonly #bands = new Float32Array(HISTORY * BANDS)
  readonly #levels = new Float32Array(HISTORY)
  readonly #noise = new Float32Array(BANDS).fill(Number.NaN)
  readonly #edges = bandEdges()
  readonly #harmonicity = new Harmonicity()
  readonly #periodic = new Float32Array(HISTORY)
  readonly #octaves = new Float32Array(HISTORY)
  #loudDb = FLOOR_DB
  #frames = 0

  /** Handles a spectrum. `vector` then describes the frame of LOOKAHEAD frames ago. */
  onFrame(power: Float64Array): void {
    const at = (this.#frames & WRAP) * BANDS
    let total = 0
    for (let band = 0; band < BANDS; band++) {
      const one = this.#bandPower(power, band)
      total += one
      const db = Math.max(FLOOR_DB - 12, 10 * Math.log10(one + 1e-10))
      this.#bands[at + band] = db
      this.#followNoise(band, db)
    }
    const level = Math.max(FLOOR_DB, 10 * Math.log10(total + 1e-10))
    this.#levels[this.#frames & WRAP] = level
    this.#harmonicity.onFrame(power)
    this.#periodic[this.#frames & WRAP] = this.#harmonicity.value
    this.#octaves[this.#frames & WRAP] = this.#harmonicity.octave
    const rise = level - this.#loudDb
    this.#loudDb += rise > 0 ? LOUD_RISE * rise : -FORGOTTEN_DB
    if (this.#frames === 0) this.#bands.fill(FLOOR_DB, BANDS)
    this.#frames++
    this.#fill()
  }

  #bandPower(power: Float64Array, band: number): number {
    const from = this.#edges[band] ?? 0
    const to = this.#edges[band + 1] ?? 0
    let sum = 0
    for (let k = from; k < to; k++) sum += power[k] ?? 0
    return sum
  }

  #followNoise(band: number, db: number): void {
    const noise = this.#noise[band] ?? Number.NaN
    if (Number.isNaN(noise)) this.#noise[band] = db
    else this.#noise[band] = db > noise ? noise + NOISE_RISE_DB : noise + NOISE_FALL * (db - noise)
  }

  /** Writes the means of the slots; returns the index of the next input. */
  #fillSlots(newest: number, loud: number): number {
    const { vector } = this
    let i = 0
    for (let slot = SLOTS - 1; slot >= 0; slot--) {
      const last = newest - slot * SLOT_FRAMES
      for (let band = 0; band < BANDS; band++) {
        let sum = 0
        for (let frame = last - SLOT_FRAMES + 1; frame <= last; frame++) {
          sum += this.#bands[(frame & WRAP) * BANDS + band] ?? 0
        }
        vector[i++] = scaled(sum / SLOT_FRAMES - loud)
      }
      let periodic = 0
      for (let frame = last - SLOT_FRAMES + 1; frame <= last; frame++)
        periodic += this.#periodic[frame & WRAP] ?? 0
      vector[i++] = 2 * (periodic / SLOT_FRAMES) - 1
    }
    return i
  }

  #fill(): void {
    const { vector } = this
    const loud = Math.max(this.#loudDb, FLOOR_DB + 20)
    const newest = this.#frames - 1
    const judged = newest - LOOKAHEAD
    let i = this.#fillSlots(newest, loud)
    const at = (judged & WRAP) * BANDS
    for (let band = 0; band < BANDS; band++) {
      const db = this.#bands[at + band] ?? 0
      vector[i++] = scaled(db - loud)
      vector[i++] = Math.min(40, db - (this.#noise[band] ?? 0)) / 20
    }
    vector[i++] = 2 * (this.#periodic[judged & WRAP] ?? 0) - 1
    vector[i++] = (this.#octaves[judged & WRAP] ?? 0) - 1
    vector[i++] = scaled((this.#levels[judged & WRAP] ?? 0) - loud)
    vector[i] = Math.min(1.5, newest / 200)
  }
}

/** Scales dB relative to the loudest sound, −60 to 10, to around zero. */
function scaled(db: number): number {
  return (Math.max(-60, Math.min(10, db)) + 25) / 20
}

/** Returns the first bins of the bands, evenly spaced on the mel scale, and the bin after the last. */
function bandEdges(): Int32Array {
  const mel = (hz: number): number => 1127 * Math.log(1 + hz / 700)
  const low = mel(LOW_HZ)
  const step = (mel(HIGH_HZ) - low) / BANDS
  return Int32Array.from({ length: BANDS + 1 }, (_, band) =>
    Math.round((700 * (Math.exp((low + band * step) / 1127) - 1)) / BIN_HZ),
  )
}
