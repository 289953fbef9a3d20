/**
 * Protects the packets that we send (RFC 3711 §3.3, §3.4). The packets are Buffers with free space at
 * their end for what SRTP adds. A packet of 20 ms costs about 4 µs of processor time, as one that comes does:
 * half of it the HMAC, an object and two Buffers of node:crypto.
 */
import type { SrtpSuite } from '../../../platform/sdes/crypto-attribute.js'
import { readUint16, readUint32, writeUint32 } from '../codecs/rtp-packet.js'
import { CounterCipher } from './counter-cipher.js'
import { deriveSessionKeys, PacketTag } from './session-keys.js'

/** The tag of RTP in each suite; the tag of RTCP has 80 bits in all (RFC 4568 §6.2.2, RFC 6188 §4). */
export const RTP_TAG_BYTES: Readonly<Record<SrtpSuite, 4 | 10>> = {
  AES_CM_128_HMAC_SHA1_80: 10,
  AES_CM_128_HMAC_SHA1_32: 4,
  AES_256_CM_HMAC_SHA1_80: 10,
  AES_256_CM_HMAC_SHA1_32: 4,
}
export const RTCP_TAG_BYTES = 10
/** The bytes behind the encrypted part of an RTCP packet: its index, before the tag. */
export const RTCP_INDEX_BYTES = 4
/** RTCP is encrypted from behind the first header and SSRC (RFC 3711 §3.4). */
export const RTCP_CLEAR_BYTES = 8
/** The count of roll-overs is part of what is authenticated, not of the packet. */
export const ROLLOVER_BYTES = 4
const RTP_HEADER_BYTES = 12
const IS_ENCRYPTED = 0x8000_0000

/** Encrypts RTP of one source: headers of twelve bytes, rising sequence numbers. */
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
   * Protects the packet in place; its first `size` bytes are plain RTP, and behind them is room for
   * ten bytes. Returns the length that is sent.
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

  /** Protects the packet in place, like RTP; the room behind it is fourteen bytes. */
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
