/**
 * SRTP for test parties (RFC 3711, RFC 6188), written literally from the RFCs and slow. It shares no code with
 * the product, so that a fault cannot be in both.
 */
import { createCipheriv, createHmac } from 'node:crypto'

export type TestSuite =
  | 'AES_CM_128_HMAC_SHA1_80'
  | 'AES_CM_128_HMAC_SHA1_32'
  | 'AES_256_CM_HMAC_SHA1_80'
  | 'AES_256_CM_HMAC_SHA1_32'

const HEAD_BYTES = 12

export class SecureRtp {
  readonly #cipherKey: Buffer
  readonly #salt: Buffer
  readonly #authKey: Buffer
  readonly #tagBytes: number
  /** Index of the last packet sent or received: 2^16 times the roll-overs plus the sequence number. */
  #index = -1n

  /** `key`: master key and salt in base64, as in `inline:`. */
  constructor(key: string, suite: TestSuite) {
    const master = Buffer.from(key, 'base64')
    this.#cipherKey = derive(master, 0, master.length - 14)
    this.#authKey = derive(master, 1, 20)
    this.#salt = derive(master, 2, 14)
    this.#tagBytes = suite.endsWith('80') ? 10 : 4
  }

  protect(plain: Buffer, headBytes = HEAD_BYTES): Buffer {
    const index = this.#next(plain.readUInt16BE(2))
    const body = this.#crypt(plain, headBytes, index)
    return Buffer.concat([body, this.#tagOf(body, index)])
  }

  /** The decrypted packet; undefined for a wrong tag. */
  unprotect(packet: Buffer, headBytes = HEAD_BYTES): Buffer | undefined {
    if (packet.length < headBytes + this.#tagBytes) return undefined
    const index = this.#next(packet.readUInt16BE(2))
    const body = packet.subarray(0, packet.length - this.#tagBytes)
    const isRight = this.#tagOf(body, index).equals(packet.subarray(body.length))
    return isRight ? this.#crypt(body, headBytes, index) : undefined
  }

  /** The index of a packet whose sequence number is close to the last one, before or after it. */
  #next(sequence: number): bigint {
    if (this.#index < 0n) this.#index = BigInt(sequence)
    const ahead = ((sequence - Number(this.#index & 0xffffn)) << 16) >> 16
    const index = this.#index + BigInt(ahead)
    if (ahead > 0) this.#index = index
    return index
  }

  /** IV = (salt * 2^16) XOR (SSRC * 2^64) XOR (index * 2^16), §4.1.1. */
  #crypt(packet: Buffer, headBytes: number, index: bigint): Buffer {
    const salt = BigInt(`0x${this.#salt.toString('hex')}`)
    const iv = (salt << 16n) ^ (BigInt(packet.readUInt32BE(8)) << 64n) ^ (index << 16n)
    const cipher = createCipheriv(counterMode(this.#cipherKey), this.#cipherKey, sixteen(iv))
    return Buffer.concat([packet.subarray(0, headBytes), cipher.update(packet.subarray(headBytes))])
  }

  #tagOf(body: Buffer, index: bigint): Buffer {
    const rollovers = Buffer.alloc(4)
    rollovers.writeUInt32BE(Number(index >> 16n))
    const whole = createHmac('sha1', this.#authKey).update(body).update(rollovers).digest()
    return whole.subarray(0, this.#tagBytes)
  }
}

/** §4.3.3: the master key in counter mode, its salt XOR (label * 2^48), times 2^16. */
function derive(master: Buffer, label: number, size: number): Buffer {
  const key = master.subarray(0, master.length - 14)
  const salt = BigInt(`0x${master.subarray(key.length).toString('hex')}`)
  const iv = (salt ^ (BigInt(label) << 48n)) << 16n
  return createCipheriv(counterMode(key), key, sixteen(iv)).update(Buffer.alloc(size))
}

function counterMode(key: Buffer): string {
  return key.length === 32 ? 'aes-256-ctr' : 'aes-128-ctr'
}

function sixteen(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(32, '0'), 'hex')
}
