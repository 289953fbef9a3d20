/**
 * Finds where speech begins and ends, with the network of answering-machine detection. A sound begins speech
 * once it was a voice for a while and more than coughs, so that neither a cough nor a click interrupts anything.
 */
import { Cough } from './detector/cough.js'
import { FrameReading } from './detector/frame-reading.js'
import { FRAME_MS, FRAME_SAMPLES, Spectrum } from './detector/spectrum.js'
import { Voice } from './detector/voice.js'
import { LOOKAHEAD } from './detector/voice-input.js'

/** Minimum voice likelihood of a frame of speech, and its minimum level in dB relative to full scale. */
const LIKELY = 0.3
const LOWEST_DB = -50
/** Voice within a sound that makes it speech, in frames. */
const MIN_VOICE_FRAMES = 200 / FRAME_MS
/** Silence after which an unfinished sound was none, in frames. */
const FORGET_FRAMES = 400 / FRAME_MS

/** A change of what is heard; `frame` counts from the first frame of the audio. */
export interface SpeechEdge {
  readonly type: 'began' | 'ended'
  /** The first frame of the speech, or the first one after it. */
  readonly frame: number
}

export interface SpeechDetectorOptions {
  /** Silence that ends speech, ms. */
  readonly endSilenceMs: number
}

export class SpeechDetector {
  readonly #spectrum = new Spectrum()
  readonly #reading = new FrameReading()
  readonly #voice = new Voice()
  readonly #levels = new Float64Array(LOOKAHEAD + 1).fill(-90)
  readonly #endFrames: number
  #cough = new Cough()
  #frames = 0
  #voiced = 0
  /** First and last frame of the sound that is speech or may become it. */
  #first = 0
  #last = 0
  #isSpeech = false

  constructor({ endSilenceMs }: SpeechDetectorOptions) {
    this.#endFrames = Math.max(1, Math.round(endSilenceMs / FRAME_MS))
  }

  /** True between the events `began` and `ended`. */
  get isSpeech(): boolean {
    return this.#isSpeech
  }

  /** Handles a frame of 160 samples at 8 kHz. */
  push(frame: Int16Array): SpeechEdge | undefined {
    if (frame.length !== FRAME_SAMPLES) throw new RangeError(`a frame has ${FRAME_SAMPLES} samples`)
    this.#spectrum.onFrame(frame)
    const { power } = this.#spectrum
    this.#reading.read(power)
    const { levelDb } = this.#reading
    this.#levels[this.#frames % this.#levels.length] = levelDb
    const judged = this.#frames - LOOKAHEAD
    this.#frames++
    const likelihood = this.#voice.onFrame(power)
    const level = this.#levels[(judged + this.#levels.length) % this.#levels.length] ?? -90
    if (this.#voiced > 0) this.#cough.onFrame(power, levelDb)
    return judged >= 0 && likelihood >= LIKELY && level >= LOWEST_DB
      ? this.#onVoice(judged, power, levelDb)
      : this.#onSilence(judged)
  }

  #onVoice(at: number, power: Float64Array, levelDb: number): SpeechEdge | undefined {
    if (this.#voiced === 0) {
      this.#first = at
      this.#cough = new Cough()
      this.#cough.onFrame(power, levelDb)
    }
    this.#voiced++
    this.#last = at
    if (this.#isSpeech || this.#voiced < MIN_VOICE_FRAMES) return undefined
    if (this.#cough.isAll(at - this.#first)) return undefined
    this.#isSpeech = true
    return { type: 'began', frame: this.#first }
  }

  #onSilence(at: number): SpeechEdge | undefined {
    if (this.#voiced === 0) return undefined
    const quiet = at - this.#last
    if (quiet < (this.#isSpeech ? this.#endFrames : FORGET_FRAMES)) return undefined
    this.#voiced = 0
    if (!this.#isSpeech) return undefined
    this.#isSpeech = false
    return { type: 'ended', frame: this.#last + 1 }
  }
}
