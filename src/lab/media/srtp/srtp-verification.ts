/**
 * Takes the protection off the packets that come (RFC 3711 §3.3, §3.4): replays and packets that the
 * peer's key did not make are refused before anything of them is believed.
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

/** The length of a packet that the peer's key did not make; its bytes are then meaningless. */
export const FORGED = -1
/** The length of a packet that came before, or is too old to tell: a network repeats packets too. */
export const REPLAYED = -2
/** The most sources under one key: a peer has one or two; the one silent longest goes first. */
const MAX_SOURCES = 32
const RTP_HEADER_BYTES = 12
const SEQUENCES = 0x1_0000

/** The width of the window; 64 is the least (RFC 3711 §3.3.2). */
const WINDOW = 128

const HALF = 0x8000
/** The count of roll-overs has 32 bits. */
const MAX_ROLLOVERS = 0xffff_ffff

/** The replay windows of the peer's sources. Only authentic packets make one. */
class Sources {
  readonly #windows = new Map<number, ReplayWindow>()

  /** The window of a source; a new one is not kept before `accept`. */
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

/** The packets of one stream that came already (RFC 3711 §3.3.2). */
export class ReplayWindow {
  /** The highest index received; undefined before the first packet. */
  #highest: number | undefined
  /** For each index of the window, modulo its width: 1 when that packet came. */
  readonly #seen = new Uint8Array(WINDOW)

  get highest(): number | undefined {
    return this.#highest
  }

  /** True when the packet is new: neither received before nor too old to tell. */
  isNew(index: number): boolean {
    if (this.#highest === undefined || index > this.#highest) return true
    return this.#highest - index < WINDOW && this.#seen[index % WINDOW] === 0
  }

  /** Marks a packet as received. It must be authentic, else a stranger could shut the window. */
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
 * The packet index of SRTP (RFC 3711 §3.3.1): the sequence number with the count of its roll-overs,
 * which no packet carries.
 *
 * The likeliest index of a packet, given the highest index received; negative when the packet is
 * from before the first roll-over or the key is used up.
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

/** The end of the header of an RTP packet, extension included; beyond any packet when it is none. */
function payloadStartOf(packet: Uint8Array): number {
  const first = packet[0] ?? 0
  if (packet.length < RTP_HEADER_BYTES || first >> 6 !== 2) return Number.POSITIVE_INFINITY
  const start = RTP_HEADER_BYTES + 4 * (first & 0x0f)
  if ((first & 0x10) === 0) return start
  return start + 4 + 4 * readUint16(packet, start + 2)
}
