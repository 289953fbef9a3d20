/** Sends keys: as telephone events when the peer takes them, else as tones in the audio where it may. */
import { keyOfEvent } from '../codecs/telephone-event.js'
import { type DigitJob, DigitSender } from '../dsp/digit-sender.js'
import { KEY_TONES, ToneGenerator } from '../dsp/tone-generator.js'
import type { RtpSender } from '../rtp/rtp-sender.js'

/**
 * The amplitude of each of the two tones: together about −7 dBm0, within what ITU-T Q.23 lets a
 * phone send.
 */
const TONE_AMPLITUDE = 7000

export class DigitOutput {
  readonly #sender = new DigitSender()
  readonly #tones = new ToneGenerator()
  /** False loses the keys for a peer that takes no telephone events. */
  hasTones = true

  get queued(): number {
    return this.#sender.queued
  }

  add(job: DigitJob): void {
    this.#sender.add(job)
  }

  clear(): void {
    this.#sender.clear()
  }

  /**
   * Moves on by one frame. True when a telephone-event packet went out in place of the audio;
   * otherwise `said` may now hold a tone, and `isToneOn` tells.
   */
  advance(rtp: RtpSender, payloadType: number | undefined, said: Int16Array): boolean {
    const frame = this.#sender.advance()
    if (frame === 'idle' || frame === 'pause') return false
    if (payloadType !== undefined) {
      rtp.sendEvent(payloadType, this.#sender.present, frame === 'first')
      return true
    }
    if (frame === 'first') {
      const key = keyOfEvent(this.#sender.present.event) ?? ''
      this.#tones.start(KEY_TONES[key] ?? [])
    }
    if (this.isToneOn)
      for (let i = 0; i < said.length; i++) said[i] = this.#tones.next() * TONE_AMPLITUDE
    return false
  }

  /** True when the key that `advance` last described is down. */
  get isToneOn(): boolean {
    return this.hasTones && this.#sender.isPressed
  }
}
