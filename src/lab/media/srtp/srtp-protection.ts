/**
 * Protects sent packets (RFC 3711 §3.3, §3.4). Packets are Buffers with spare space at the end for
 * SRTP. Protecting or verifying a packet of 20 ms takes about 4 µs, half of it for the HMAC, an
 * object and two Buffers of node:crypto.
 */
import type { SrtpSuite } from '../../../platform/sdes/crypto-attribute.js'
import { readUint16, readUint32, writeUint32 } from '../codecs/rtp-packet.js'
import { CounterCipher } from './counter-cipher.js'
import { deriveSessionKeys, PacketTag } from './session-keys.js'

/** RTP tag length by suite, bytes; the RTCP tag always has 80 bits (RFC 4568 §6.2.2, RFC 6188 §4). */
export const RTP_TAG_BYTES: Readonly<Record<SrtpSuite, 4 | 10>> = {
  AES_CM_128_HMAC_SHA1_80: 10,
  AES_CM_128_HMAC_SHA1_32: 4,
  AES_256_CM_HMAC_SHA1_80: 10,
  AES_256_CM_HMAC_SHA1_32: 4,
}
export const RTCP_TAG_BYTES = 10
/** Length of the index after the encrypted part of an RTCP packet, before the tag, bytes. */
export const RTCP_INDEX_BYTES = 4
/** Length of the unencrypted start of RTCP, bytes: first header and SSRC (RFC 3711 §3.4). */
export const RTCP_CLEAR_BYTES = 8
/** Length of the roll-over count, bytes; it is authenticated, but not sent. */
export const ROLLOVER_BYTES = 4
const RTP_HEADER_BYTES = 12
const IS_ENCRYPTED = 0x8000_0000

/** Encrypts one source's RTP: 12-byte headers, increasing sequence numbers. */
export class RtpProtection {
  readonly #cipher: CounterCipher
  readonly #tag: PacketTag
  #rollovers = 0
  #last = 0

  constructor(master: Uint8Array, suite: SrtpSuite) {
    const keys = deriveSessionKeys(master, 'rtp')
    this.#cipher = new CounterCipher(keys.cipherKey, keys.salt)
    this.#tag = new PacketTag(keys.authKey, RTP_TAG_BYTES[suite])
  }

  /**
   * Protects the packet in place. Its first `size` bytes are plain RTP, followed by ten spare
   * bytes. Returns the length to send.
   */
  protect(packet: Buffer, size: number): number {
    const sequence = readUint16(packet, 2)
    if (sequence < this.#last) this.#rollovers = (this.#rollovers + 1) >>> 0
    this.#last = sequence
    const ssrc = readUint32(packet, 8)
    this.#cipher.apply(packet, RTP_HEADER_BYTES, size, ssrc, this.#rollovers, sequence)
    writeUint32(packet, size, this.#rollovers)
    this.#tag.write(packet, size + ROLLOVER_BYTES, size)
    return size + this.#tag.bytes
  }
}

/** Encrypts the RTCP of one source. */
export class RtcpProtection {
  readonly #cipher: CounterCipher
  readonly #tag: PacketTag
  #index = 0

  constructor(master: Uint8Array) {
    const keys = deriveSessionKeys(master, 'rtcp')
    this.#cipher = new CounterCipher(keys.cipherKey, keys.salt)
    this.#tag = new PacketTag(keys.authKey, RTCP_TAG_BYTES)
  }

  /** Protects the packet in place, like RTP; it needs fourteen spare bytes. */
  protect(packet: Buffer, size: number): number {
    this.#index = (this.#index + 1) & 0x7fff_ffff
    const ssrc = readUint32(packet, 4)
    const [high, low] = [this.#index >>> 16, this.#index & 0xffff]
    this.#cipher.apply(packet, RTCP_CLEAR_BYTES, size, ssrc, high, low)
    const end = size + RTCP_INDEX_BYTES
    writeUint32(packet, size, (IS_ENCRYPTED | this.#index) >>> 0)
    this.#tag.write(packet, end, end)
    return end + this.#tag.bytes
  }
}
