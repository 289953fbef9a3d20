/** Reports when the peer begins and ceases to talk. */
import { TalkDetector } from '../dsp/level.js'
import type { Tap } from '../model/audio-flow.js'

export class TalkWatch implements Tap {
  readonly #detector: TalkDetector
  readonly #onTalking: (isTalking: boolean) => void

  constructor(hangoverMs: number, onTalking: (isTalking: boolean) => void) {
    this.#detector = new TalkDetector(hangoverMs)
    this.#onTalking = onTalking
  }

  write(heard: Int16Array): void {
    const change = this.#detector.onFrame(heard)
    if (change !== undefined) this.#onTalking(change)
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}
