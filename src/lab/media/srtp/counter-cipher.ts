/**
 * AES in counter mode for SRTP (RFC 3711 §4.1.1), with 128 or 256 bits (RFC 6188 §2). One cipher
 * per key encrypts all counters of a packet in one call; a cipher per packet costs several times as
 * much.
 */
import { type Cipher, createCipheriv } from 'node:crypto'

const BLOCK_BYTES = 16
/** Number of blocks in the longest unfragmented packet. */
const MAX_BLOCKS = 96
const SSRC_AT = 4
const INDEX_AT = 8
const COUNTER_AT = 14

/** Maximum number of encrypted bytes per packet. */
export const MAX_ENCRYPTED_BYTES = MAX_BLOCKS * BLOCK_BYTES

export class CounterCipher {
  readonly #cipher: Cipher
  readonly #salt: Buffer
  readonly #counters = Buffer.alloc(MAX_BLOCKS * BLOCK_BYTES)
  /** The counters for packets of the usual length, allocated once. */
  #view: Buffer

  constructor(key: Uint8Array, salt: Buffer) {
    this.#cipher = createCipheriv(`aes-${String(8 * key.length)}-ecb`, key, null).setAutoPadding(
      false,
    )
    this.#salt = salt
    this.#view = this.#counters.subarray(0, BLOCK_BYTES)
    for (let block = 0; block < MAX_BLOCKS; block++)
      this.#counters.writeUInt16BE(block, block * BLOCK_BYTES + COUNTER_AT)
  }

  /**
   * Encrypts or decrypts `bytes` from `start` to `end` in place; at most `MAX_ENCRYPTED_BYTES`. The
   * packet's index is 2^16 * `high` + `low`.
   */
  apply(
    bytes: Uint8Array,
    start: number,
    end: number,
    ssrc: number,
    high: number,
    low: number,
  ): void {
    const blocks = Math.ceil((end - start) / BLOCK_BYTES)
    if (blocks <= 0) return
    this.#writeCounters(blocks, ssrc, high, low)
    const stream = this.#cipher.update(this.#viewOf(blocks))
    for (let at = start, from = 0; at < end; at++, from++)
      bytes[at] = (bytes[at] ?? 0) ^ (stream[from] ?? 0)
  }

  #writeCounters(blocks: number, ssrc: number, high: number, low: number): void {
    const counters = this.#counters
    counters.set(this.#salt)
    counters.writeUInt32BE((counters.readUInt32BE(SSRC_AT) ^ ssrc) >>> 0, SSRC_AT)
    counters.writeUInt32BE((counters.readUInt32BE(INDEX_AT) ^ high) >>> 0, INDEX_AT)
    counters.writeUInt16BE(counters.readUInt16BE(INDEX_AT + 4) ^ low, INDEX_AT + 4)
    for (let block = 1; block < blocks; block++)
      counters.copyWithin(block * BLOCK_BYTES, 0, COUNTER_AT)
  }

  #viewOf(blocks: number): Buffer {
    if (this.#view.length !== blocks * BLOCK_BYTES)
      this.#view = this.#counters.subarray(0, blocks * BLOCK_BYTES)
    return this.#view
  }
}
