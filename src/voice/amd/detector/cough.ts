/**
 * Distinguishes coughs from words: a cough is one or two short bursts of noise, while each word has a vowel.
 * So a short utterance is a cough when hardly any of its loudest frames is periodic.
 */
import { Harmonicity } from './harmonicity.js'
import { FRAME_MS } from './spectrum.js'

/** Maximum length of coughs in frames; a whisper may last longer. */
const MAX_TALK_FRAMES = 1000 / FRAME_MS
/** Minimum periodicity of a vowel: coughs reach 0.41, vowels at least 0.68. */
const PERIODIC = 0.5
const MIN_VOWEL_FRAMES = 3
/** Maximum distance of a vowel below the loudest frame, dB. */
const DEPTH_DB = 15
const LOWEST_DB = -90

export class Cough {
  readonly #harmonicity = new Harmonicity()
  /** Number of periodic frames by level, in steps of 1 dB. */
  readonly #periodic = new Int32Array(1 - LOWEST_DB)
  #peakDb = LOWEST_DB

  /** Handles a spectrum and its level in dB relative to full scale. */
  onFrame(power: Float64Array, levelDb: number): void {
    this.#peakDb = Math.max(this.#peakDb, Math.min(0, levelDb))
    if (levelDb < this.#peakDb - DEPTH_DB) return
    this.#harmonicity.onFrame(power)
    if (this.#harmonicity.value < PERIODIC) return
    const step = Math.round(Math.min(0, levelDb) - LOWEST_DB)
    this.#periodic[step] = (this.#periodic[step] ?? 0) + 1
  }

  /** True when everything so far, a talk of this many frames, was coughs. */
  isAll(talkFrames: number): boolean {
    if (talkFrames > MAX_TALK_FRAMES) return false
    let vowel = 0
    const from = Math.max(0, Math.round(this.#peakDb - DEPTH_DB - LOWEST_DB))
    for (let step = from; step < this.#periodic.length; step++) vowel += this.#periodic[step] ?? 0
    return vowel < MIN_VOWEL_FRAMES
  }
}
