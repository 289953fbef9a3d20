/** Detects talking by the frame's mean power, with a hang-over so that syllables do not count. */
import { FRAME_MS } from './frame.js'

/** The root mean square of a frame that counts as sound: −42 dB below full scale. */
const SOUND_RMS = 260
/** Number of consecutive loud frames that count as talking; fewer are a click. */
const ONSET_FRAMES = 2

export function meanSquare(frame: Int16Array): number {
  let sum = 0
  for (const sample of frame) sum += sample * sample
  return frame.length === 0 ? 0 : sum / frame.length
}

export class TalkDetector {
  readonly #hangoverFrames: number
  #isTalking = false
  #loudRun = 0
  #quietRun = 0

  constructor(hangoverMs: number) {
    this.#hangoverFrames = Math.max(1, Math.round(hangoverMs / FRAME_MS))
  }

  /** Processes a frame. Returns the new state if this frame changed it, otherwise undefined. */
  onFrame(frame: Int16Array): boolean | undefined {
    const isLoud = meanSquare(frame) >= SOUND_RMS * SOUND_RMS
    this.#loudRun = isLoud ? this.#loudRun + 1 : 0
    this.#quietRun = isLoud ? 0 : this.#quietRun + 1
    if (!this.#isTalking && this.#loudRun >= ONSET_FRAMES) return (this.#isTalking = true)
    if (this.#isTalking && this.#quietRun >= this.#hangoverFrames) return (this.#isTalking = false)
    return undefined
  }
}
