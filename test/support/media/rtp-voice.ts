import { RATE } from '../sound/tone.js'
import { encodingTable, type Law } from './rtp-g711.js'
import { seeded } from './seeded.js'

/** Samples per packet. */
export const FRAME = 160
const LOSS_SEED = 20_251

/** The sending side of an RTP party: samples once, then tones, or nothing. */
export class RtpVoice {
  /** Amplitude of all tones together. */
  loudness = 8_000
  /** Share of packets of `say` that are lost, identically each time. */
  lossShare = 0
  /** Undefined while nothing is sent. */
  #frequencies: readonly number[] | undefined
  #samples: Int16Array = new Int16Array(0)
  #next = 0
  #phase = 0
  #chance = seeded(LOSS_SEED)

  /** Sets the tones, 0 for silence; undefined stops the packets. */
  speak(frequencies: readonly number[] | undefined): void {
    this.#frequencies = frequencies?.filter((hz) => hz !== 0)
  }

  /** Sends these samples once, then the tones. */
  say(samples: Int16Array): void {
    this.#samples = samples
    this.#next = 0
    this.#chance = seeded(LOSS_SEED)
  }

  /** True until the last sample is in a packet. */
  get isSaying(): boolean {
    return this.#next < this.#samples.length
  }

  /** Payload of the next packet; undefined when nothing is sent, `lost` for a dropped packet. */
  frame(codec: Law): Buffer | 'lost' | undefined {
    const { isSaying } = this
    if (!isSaying && this.#frequencies === undefined) return undefined
    const isLost = isSaying && this.#isLost()
    const codes = encodingTable(codec)
    const payload = Buffer.alloc(FRAME)
    for (let i = 0; i < FRAME; i += 1)
      payload[i] = codes[clip16(this.#samples[this.#next++] ?? this.#toneAt(i)) & 0xffff] ?? 0
    this.#phase = (this.#phase + FRAME) % RATE
    return isLost ? 'lost' : payload
  }

  /** True for a packet to drop; never the first or last one, which mark the length. */
  #isLost(): boolean {
    const isEdge = this.#next === 0 || this.#next >= this.#samples.length - FRAME
    return !isEdge && this.#chance() < this.lossShare
  }

  #toneAt(i: number): number {
    const tones = this.#frequencies ?? []
    const angle = (2 * Math.PI * (this.#phase + i)) / RATE
    const sum = tones.reduce((total, hz) => total + Math.sin(hz * angle), 0)
    return tones.length === 0 ? 0 : (this.loudness / tones.length) * sum
  }
}

function clip16(sample: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(sample)))
}
