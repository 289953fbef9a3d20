/** The authentication tag of SRTP and SRTCP: HMAC-SHA1, cut (RFC 3711 §4.2.1). */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'

const MAX_TAG_BYTES = 10

export class PacketTag {
  readonly bytes: number
  readonly #key: KeyObject
  /** The tag that a received packet bore. */
  readonly #received = Buffer.alloc(MAX_TAG_BYTES)

  constructor(key: Uint8Array, bytes: 4 | 10) {
    this.bytes = bytes
    this.#key = createSecretKey(key)
  }

  /** Writes the tag of `packet` up to `end` to where `at` is. */
  write(packet: Buffer, end: number, at: number): void {
    this.#digest(packet, end).copy(packet, at, 0, this.bytes)
  }

  /** Keeps the tag that `packet` bears at its end, so that its place may be overwritten. */
  take(packet: Buffer): void {
    packet.copy(this.#received, 0, packet.length - this.bytes)
  }

  /** True when the tag that was taken is the one of `packet` up to `end`; in constant time. */
  fits(packet: Buffer, end: number): boolean {
    const expected = this.#digest(packet, end)
    return timingSafeEqual(expected.subarray(0, this.bytes), this.#received.subarray(0, this.bytes))
  }

  #digest(packet: Buffer, end: number): Buffer {
    return createHmac('sha1', this.#key).update(packet.subarray(0, end)).digest()
  }
}
