/** The fields of a unit's body (SMPP 3.4 §3.1) and its optional parameters (§3.2.4). Pure. */
import { SmppFormatError } from './pdu.js'

/** The tags of the optional parameters that are used here (§5.3.2). */
export const TAG = {
  receiptedMessageId: 0x001e,
  sarReference: 0x020c,
  sarTotal: 0x020e,
  sarNumber: 0x020f,
  messagePayload: 0x0424,
  messageState: 0x0427,
} as const

/** Reads the fields of a body in their order. Each method throws SmppFormatError beyond the end. */
export class FieldReader {
  readonly #body: Buffer
  #at = 0

  constructor(body: Buffer) {
    this.#body = body
  }

  byte(): number {
    return this.octets(1)[0] ?? 0
  }

  octets(count: number): Buffer {
    const end = this.#at + count
    if (end > this.#body.length) throw new SmppFormatError('a body that ends too early')
    const octets = this.#body.subarray(this.#at, end)
    this.#at = end
    return octets
  }

  /** A C-Octet String: what precedes the NUL. */
  text(maxOctets: number): string {
    const end = this.#body.indexOf(0, this.#at)
    if (end === -1 || end - this.#at >= maxOctets)
      throw new SmppFormatError(`a text without an end within ${maxOctets} octets`)
    const text = this.#body.toString('latin1', this.#at, end)
    this.#at = end + 1
    return text
  }

  /** The optional parameters to the end of the body; of a repeated one the first. */
  parameters(): ReadonlyMap<number, Buffer> {
    const found = new Map<number, Buffer>()
    while (this.#at < this.#body.length) {
      const tag = this.octets(2).readUInt16BE(0)
      const value = this.octets(this.octets(2).readUInt16BE(0))
      if (!found.has(tag)) found.set(tag, value)
    }
    return found
  }
}

/** The bytes of a C-Octet String. A NUL, which none can have, is left out. */
export function textField(text: string): Buffer {
  return Buffer.from(`${text.replaceAll('\0', '')}\0`, 'latin1')
}

export function parameterField(tag: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(tag, 0)
  head.writeUInt16BE(value.length, 2)
  return Buffer.concat([head, value])
}
