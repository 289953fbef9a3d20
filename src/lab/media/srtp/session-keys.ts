/** SRTP key derivation (RFC 3711 §4.3) with a derivation rate of zero: once per master key. */
import {
  createCipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'

export interface SessionKeys {
  readonly cipherKey: Buffer
  readonly salt: Buffer
  readonly authKey: Buffer
}

/** The label of the first of the three keys; the other two follow it (RFC 3711 §4.3.2). */
const LABELS = { rtp: 0, rtcp: 3 } as const
const SALT_BYTES = 14
const AUTH_KEY_BYTES = 20
const LABEL_AT = 7

const MAX_TAG_BYTES = 10

/** Derives the session keys from a master key of 16 or 32 bytes (RFC 6188 §3) and its salt of 14. */
export function deriveSessionKeys(master: Uint8Array, stream: 'rtp' | 'rtcp'): SessionKeys {
  const first = LABELS[stream]
  return {
    cipherKey: derive(master, first, master.length - SALT_BYTES),
    authKey: derive(master, first + 1, AUTH_KEY_BYTES),
    salt: derive(master, first + 2, SALT_BYTES),
  }
}

function derive(master: Uint8Array, label: number, bytes: number): Buffer {
  const iv = Buffer.alloc(16)
  const key = master.subarray(0, -SALT_BYTES)
  iv.set(master.subarray(-SALT_BYTES))
  iv.writeUInt8(iv.readUInt8(LABEL_AT) ^ label, LABEL_AT)
  return createCipheriv(`aes-${String(8 * key.length)}-ctr`, key, iv).update(Buffer.alloc(bytes))
}

/** The authentication tag of SRTP and SRTCP: truncated HMAC-SHA1 (RFC 3711 §4.2.1). */
export class PacketTag {
  readonly bytes: number
  readonly #key: KeyObject
  /** The tag of a received packet. */
  readonly #received = Buffer.alloc(MAX_TAG_BYTES)

  constructor(key: Uint8Array, bytes: 4 | 10) {
    this.bytes = bytes
    this.#key = createSecretKey(key)
  }

  /** Writes the tag of the first `end` bytes of `packet` at offset `at`. */
  write(packet: Buffer, end: number, at: number): void {
    this.#digest(packet, end).copy(packet, at, 0, this.bytes)
  }

  /** Saves the tag at the end of `packet`, so that its bytes may be overwritten. */
  take(packet: Buffer): void {
    packet.copy(this.#received, 0, packet.length - this.bytes)
  }

  /** True when the saved tag matches the first `end` bytes of `packet`; compares in constant time. */
  fits(packet: Buffer, end: number): boolean {
    const expected = this.#digest(packet, end)
    return timingSafeEqual(expected.subarray(0, this.bytes), this.#received.subarray(0, this.bytes))
  }

  #digest(packet: Buffer, end: number): Buffer {
    return createHmac('sha1', this.#key).update(packet.subarray(0, end)).digest()
  }
}
