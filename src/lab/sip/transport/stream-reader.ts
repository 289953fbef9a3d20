import type { MessageLimits } from '../message/limits.js'
import { closeMessage, type Opening, openMessage, type Reading } from '../message/read-message.js'

export type StreamReading =
  | Reading
  /** Two empty lines: a keep-alive ping of the peer (RFC 5626 §3.5.1). */
  | { readonly type: 'ping' }

const HEAD_END = Buffer.from('\r\n\r\n')
const INITIAL_BYTES = 4_096
const CR = 0x0d
const LF = 0x0a

/**
 * Cuts a byte stream into messages. The head is read once, by the same code as for a datagram, so
 * that a length has only one reading. It holds one unfinished message at most, within the limits,
 * when everything complete is taken out after each push.
 */
export class StreamReader {
  readonly #limits: MessageLimits
  #bytes = Buffer.allocUnsafe(INITIAL_BYTES)
  #start = 0
  #end = 0
  /** The position before which no empty line starts. */
  #searched = 0
  #opening: Opening | undefined
  #emptyLines = 0

  constructor(limits: MessageLimits) {
    this.#limits = limits
  }

  /** True while a message has begun to arrive and is not complete. */
  get isWaiting(): boolean {
    return this.#end > this.#start
  }

  push(chunk: Buffer): void {
    if (this.#end + chunk.length > this.#bytes.length) this.#makeRoom(chunk.length)
    chunk.copy(this.#bytes, this.#end)
    this.#end += chunk.length
  }

  /** Takes out the next message; `incomplete` when more bytes are needed. */
  next(): StreamReading {
    if (this.#opening === undefined) {
      if (this.#takePing()) return { type: 'ping' }
      const opening = this.#open()
      if (opening.type !== 'opened') return opening
      this.#opening = opening
    }
    const reading = closeMessage(this.#opening, this.#bytes, 'stream', this.#end)
    if (reading.type !== 'message') return reading
    const length = reading.length - this.#start
    this.#start = reading.length
    this.#searched = this.#start
    this.#opening = undefined
    return { ...reading, length }
  }

  #open(): ReturnType<typeof openMessage> {
    const arrived = this.#bytes.subarray(0, this.#end)
    const found = arrived.indexOf(HEAD_END, Math.max(this.#start, this.#searched - 3))
    this.#searched = this.#end
    const span = {
      start: this.#start,
      headEnd: found === -1 ? undefined : found,
      end: this.#end,
    }
    return openMessage(this.#bytes, span, 'stream', this.#limits)
  }

  /** Consumes empty lines before a message (RFC 3261 §7.5); true for every second one. */
  #takePing(): boolean {
    while (this.#end - this.#start >= 2) {
      if (this.#bytes[this.#start] !== CR || this.#bytes[this.#start + 1] !== LF) break
      this.#start += 2
      this.#emptyLines++
      if (this.#emptyLines % 2 === 0) return true
    }
    if (this.isWaiting && this.#bytes[this.#start] !== CR) this.#emptyLines = 0
    return false
  }

  #makeRoom(bytes: number): void {
    const held = this.#end - this.#start
    let size = this.#bytes.length
    while (size < held + bytes) size *= 2
    const target = size === this.#bytes.length ? this.#bytes : Buffer.allocUnsafe(size)
    this.#bytes.copy(target, 0, this.#start, this.#end)
    const shift = this.#start
    this.#bytes = target
    this.#start = 0
    this.#end = held
    this.#searched = Math.max(0, this.#searched - shift)
    if (this.#opening === undefined) return
    const { bodyStart, bodyEnd } = this.#opening
    this.#opening = {
      ...this.#opening,
      bodyStart: bodyStart - shift,
      bodyEnd: bodyEnd === undefined ? undefined : bodyEnd - shift,
    }
  }
}
