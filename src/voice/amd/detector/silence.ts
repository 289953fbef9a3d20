/**
 * Measures the silence after a greeting. In noise, the quiet words of a greeting are below
 * the threshold of talk, and its beep would come too late. So a silence that is about to end the
 * message must also be silence by a lower threshold. That one may delay the end by HELD_MS at most.
 */
import { FRAME_MS } from './spectrum.js'
import type { Talk } from './talk.js'

const HELD_MS = 2000

export class Silence {
  /** Milliseconds since the last word or information tone. */
  ms = 0
  #endMs: number
  #quietMs = 0
  #heldMs = 0

  /** `endMs` is the silence that ends a message. */
  constructor(endMs: number) {
    this.#endMs = endMs
  }

  onFrame(talk: Talk): void {
    this.#quietMs = Math.min(this.#quietMs + FRAME_MS, talk.quietFrames * FRAME_MS)
    this.ms = this.#quietMs
    if (this.#quietMs < this.#endMs) {
      this.#heldMs = 0
      return
    }
    const hushMs = talk.hushFrames() * FRAME_MS
    if (hushMs >= this.#endMs || this.#heldMs >= HELD_MS) return
    this.#heldMs += FRAME_MS
    this.ms = hushMs
  }

  /** The silence that ends the message. */
  get endMs(): number {
    return this.#endMs
  }

  /**
   * Takes note of information tones. No beep follows an announcement of the network, so `endMs` of
   * silence end it.
   */
  interrupt(endMs: number): void {
    this.#endMs = endMs
    this.#quietMs = 0
    this.#heldMs = 0
    this.ms = 0
  }
}
