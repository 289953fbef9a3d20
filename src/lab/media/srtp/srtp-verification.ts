/**
 * Verifies and decrypts received packets (RFC 3711 §3.3, §3.4). Replayed packets, and packets not
 * made with the peer's key, are refused before their content is used.
 */
import type { SrtpSuite } from '../../../platform/sdes/crypto-attribute.js'
import { readUint16, readUint32, writeUint32 } from '../codecs/rtp-packet.js'
import { CounterCipher, MAX_ENCRYPTED_BYTES } from './counter-cipher.js'
import { deriveSessionKeys, PacketTag } from './session-keys.js'
import {
  ROLLOVER_BYTES,
  RTCP_CLEAR_BYTES,
  RTCP_INDEX_BYTES,
  RTCP_TAG_BYTES,
  RTP_TAG_BYTES,
} from './srtp-protection.js'

/** Result for a packet that was not made with the peer's key; its bytes are meaningless. */
export const FORGED = -1
/** Result for a packet received before, or too old to know. Networks also duplicate packets. */
export const REPLAYED = -2
/** Maximum number of sources per key; a peer has one or two. The source idle longest is removed. */
const MAX_SOURCES = 32
const RTP_HEADER_BYTES = 12
const SEQUENCES = 0x1_0000

/** Width of the replay window, packets; the minimum is 64 (RFC 3711 §3.3.2). */
const WINDOW = 128

const HALF = 0x8000
/** Maximum roll-over count: 32 bits. */
const MAX_ROLLOVERS = 0xffff_ffff

/** The replay windows of the peer's sources. Only authentic packets create one. */
class Sources {
  readonly #windows = new Map<number, ReplayWindow>()

  /** Returns the window of a source; a new one is stored only by `accept`. */
  windowOf(ssrc: number): ReplayWindow {
    return this.#windows.get(ssrc) ?? new ReplayWindow()
  }

  accept(ssrc: number, window: ReplayWindow, index: number): void {
    window.accept(index)
    if (this.#windows.has(ssrc)) return
    const [oldest] = this.#windows.keys()
    if (this.#windows.size >= MAX_SOURCES && oldest !== undefined) this.#windows.delete(oldest)
    this.#windows.set(ssrc, window)
  }
}

/** The packets of one stream received so far (RFC 3711 §3.3.2). */
export class ReplayWindow {
  /** The highest index received; undefined before the first packet. */
  #highest: number | undefined
  /** For each index modulo the window's width: 1 when that packet was received. */
  readonly #seen = new Uint8Array(WINDOW)

  get highest(): number | undefined {
    return this.#highest
  }

  /** True when the packet is new: neither received before nor too old to know. */
  isNew(index: number): boolean {
    if (this.#highest === undefined || index > this.#highest) return true
    return this.#highest - index < WINDOW && this.#seen[index % WINDOW] === 0
  }

  /** Marks a packet as received. It must be authentic: a forged index could close the window. */
  accept(index: number): void {
    const before = this.#highest ?? index
    if (index - before >= WINDOW) this.#seen.fill(0)
    else for (let at = before + 1; at < index; at++) this.#seen[at % WINDOW] = 0
    this.#seen[index % WINDOW] = 1
    this.#highest = Math.max(before, index)
  }
}

export class RtpVerification {
  readonly #cipher: CounterCipher
  readonly #tag: PacketTag
  readonly #sources = new Sources()

  constructor(master: Uint8Array, suite: SrtpSuite) {
    const keys = deriveSessionKeys(master, 'rtp')
    this.#cipher = new CounterCipher(keys.cipherKey, keys.salt)
    this.#tag = new PacketTag(keys.authKey, RTP_TAG_BYTES[suite])
  }

  /**
   * Decrypts the packet in place. Returns the length of its plain RTP, `FORGED` or `REPLAYED`. Never
   * throws.
   */
  unprotect(packet: Buffer): number {
    const size = packet.length - this.#tag.bytes
    const start = payloadStartOf(packet)
    if (size < start || size - start > MAX_ENCRYPTED_BYTES) return FORGED
    const ssrc = readUint32(packet, 8)
    const window = this.#sources.windowOf(ssrc)
    const sequence = readUint16(packet, 2)
    const index = guessIndex(window.highest ?? sequence, sequence)
    if (index < 0 || !window.isNew(index)) return REPLAYED
    const rollovers = Math.floor(index / SEQUENCES)
    this.#tag.take(packet)
    writeUint32(packet, size, rollovers)
    if (!this.#tag.fits(packet, size + ROLLOVER_BYTES)) return FORGED
    this.#sources.accept(ssrc, window, index)
    this.#cipher.apply(packet, start, size, ssrc, rollovers, sequence)
    return size
  }
}

/**
 * Returns the likeliest packet index (RFC 3711 §3.3.1) from the highest index received: the
 * sequence number plus the roll-over count, which packets do not carry. Negative when the packet is
 * from before the first roll-over, or the key is used up.
 */
export function guessIndex(highest: number, sequence: number): number {
  const rollovers = Math.floor(highest / SEQUENCES)
  const last = highest % SEQUENCES
  let guess = rollovers
  if (last < HALF) {
    if (sequence - last > HALF) guess = rollovers - 1
  } else if (last - HALF > sequence) guess = rollovers + 1
  if (guess < 0 || guess > MAX_ROLLOVERS) return -1
  return guess * SEQUENCES + sequence
}

export class RtcpVerification {
  readonly #cipher: CounterCipher
  readonly #tag: PacketTag
  readonly #sources = new Sources()

  constructor(master: Uint8Array) {
    const keys = deriveSessionKeys(master, 'rtcp')
    this.#cipher = new CounterCipher(keys.cipherKey, keys.salt)
    this.#tag = new PacketTag(keys.authKey, RTCP_TAG_BYTES)
  }

  /** Decrypts the packet in place, like RTP. */
  unprotect(packet: Buffer): number {
    const end = packet.length - RTCP_TAG_BYTES
    const size = end - RTCP_INDEX_BYTES
    if (size < RTCP_CLEAR_BYTES || size > MAX_ENCRYPTED_BYTES) return FORGED
    const ssrc = readUint32(packet, 4)
    const trailer = readUint32(packet, size)
    const index = trailer & 0x7fff_ffff
    const window = this.#sources.windowOf(ssrc)
    if (!window.isNew(index)) return REPLAYED
    this.#tag.take(packet)
    if (!this.#tag.fits(packet, end)) return FORGED
    this.#sources.accept(ssrc, window, index)
    if (trailer !== index)
      this.#cipher.apply(packet, RTCP_CLEAR_BYTES, size, ssrc, index >>> 16, index & 0xffff)
    return size
  }
}

/** The end of an RTP header, extension included; beyond any packet's end when it is invalid. */
function payloadStartOf(packet: Uint8Array): number {
  const first = packet[0] ?? 0
  if (packet.length < RTP_HEADER_BYTES || first >> 6 !== 2) return Number.POSITIVE_INFINITY
  const start = RTP_HEADER_BYTES + 4 * (first & 0x0f)
  if ((first & 0x10) === 0) return start
  return start + 4 + 4 * readUint16(packet, start + 2)
}
