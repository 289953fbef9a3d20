/** Conceals lost packets: it repeats the last frame, fainter each time, then gives silence. */
import { FRAME_SAMPLES } from './frame.js'

const GAINS = [0.8, 0.5, 0.2]

export class Concealment {
  readonly #last = new Int16Array(FRAME_SAMPLES)
  /** Number of frames concealed since the last received one. */
  #run = GAINS.length

  remember(frame: Int16Array): void {
    this.#last.set(frame)
    this.#run = 0
  }

  /** Fills `frame` from `start` on where nothing arrived (samples that are 0 there). */
  conceal(frame: Int16Array, start: number): 'concealed' | 'silent' {
    const gain = GAINS[this.#run]
    if (gain === undefined) {
      if (start > 0) this.remember(frame)
      return start > 0 ? 'concealed' : 'silent'
    }
    this.#run++
    for (let i = start; i < FRAME_SAMPLES; i++) {
      if (frame[i] === 0) frame[i] = (this.#last[i] ?? 0) * gain
    }
    return 'concealed'
  }
}
