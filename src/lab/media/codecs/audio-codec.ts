/** The codecs that are spoken here, by name and payload type, and what turns their packets into samples. */
import { encode, type G711Codec, lawOf, PCMU } from './g711.js'
import { G722Decoder, G722Encoder } from './g722.js'

/** In the order of preference in our offers. */
export const CODECS = ['PCMU', 'PCMA', 'G722'] as const
export type AudioCodec = (typeof CODECS)[number]

/** The static payload types (RFC 3551 §6). */
export const PAYLOAD_TYPES: Readonly<Record<AudioCodec, number>> = { PCMU: 0, PCMA: 8, G722: 9 }

/** All of these have one byte for each sample, and timestamps of 8 kHz (RFC 3551 §4.5.2, §4.5.14). */
export function isAudio(payloadType: number): boolean {
  return lawOf(payloadType) !== undefined || payloadType === PAYLOAD_TYPES.G722
}

/** Decodes the packets of one stream. */
export class AudioDecoder {
  #g722: G722Decoder | undefined

  /** Resets the state; the next packet is the first of another stream. */
  restart(): void {
    this.#g722 = undefined
  }

  /** Decodes a payload into `into`, at most to its end. Returns the number of samples. */
  decode(
    payloadType: number,
    packet: Uint8Array,
    start: number,
    end: number,
    into: Int16Array,
  ): number {
    const count = Math.min(end - start, into.length)
    const law = lawOf(payloadType)
    if (law === undefined) {
      this.#g722 ??= new G722Decoder()
      this.#g722.decode(packet, start, start + count, into)
      return count
    }
    const table = law.toLinear
    for (let i = 0; i < count; i++) into[i] = table[packet[start + i] ?? 0] ?? 0
    return count
  }
}

/** Encodes one stream; a change of codec resets the state. */
export class AudioEncoder {
  #law: G711Codec | undefined = PCMU
  #g722: G722Encoder | undefined
  #codec: AudioCodec = 'PCMU'

  get payloadType(): number {
    return PAYLOAD_TYPES[this.#codec]
  }

  setCodec(codec: AudioCodec): void {
    if (codec === this.#codec) return
    this.#codec = codec
    this.#law = lawOf(PAYLOAD_TYPES[codec])
    this.#g722 = this.#law === undefined ? new G722Encoder() : undefined
  }

  /** Writes `count` bytes to `into` at `offset`, one for each sample. */
  encode(samples: Int16Array, into: Uint8Array, offset: number, count: number): void {
    if (this.#law !== undefined) encode(this.#law, samples, into, offset, count)
    else this.#g722?.encode(samples, into, offset, count)
  }
}
