/** Protocol data units of SMPP 3.4 (§3.2) and their frames in a stream of bytes. Pure. */

export interface Pdu {
  readonly command: number
  /** The outcome in a response; 0 in a request. */
  readonly status: number
  readonly sequence: number
  readonly body: Buffer
}

/** The ids of the commands (§5.1.2.1). A response has the highest bit as well. */
export const COMMAND = {
  genericNack: 0x8000_0000,
  bindReceiver: 0x0000_0001,
  bindTransmitter: 0x0000_0002,
  submitSm: 0x0000_0004,
  deliverSm: 0x0000_0005,
  unbind: 0x0000_0006,
  bindTransceiver: 0x0000_0009,
  enquireLink: 0x0000_0015,
} as const

const RESPONSE_BIT = 0x8000_0000

/** The outcomes that are told apart here (§5.1.3). */
export const STATUS = {
  ok: 0x00,
  invalidLength: 0x02,
  invalidCommand: 0x03,
  systemError: 0x08,
  invalidSource: 0x0a,
  invalidDestination: 0x0b,
  queueFull: 0x14,
  throttled: 0x58,
  /** ESME_RX_T_APPN: the SMSC sends it again. */
  temporaryFault: 0x64,
  /** ESME_RX_P_APPN: the SMSC gives it up. */
  permanentFault: 0x65,
} as const

const HEAD = 16
/** More than the largest message that fits a `message_payload`. */
const MAX_BYTES = 70_000

export class SmppFormatError extends Error {
  override readonly name = 'SmppFormatError'
}

export function isResponse({ command }: Pdu): boolean {
  return command >= RESPONSE_BIT
}

/** The id of the response to a request. */
export function responseTo(command: number): number {
  return (command | RESPONSE_BIT) >>> 0
}

export function writePdu({ command, status, sequence, body }: Pdu): Buffer {
  const head = Buffer.alloc(HEAD)
  head.writeUInt32BE(HEAD + body.length, 0)
  head.writeUInt32BE(command >>> 0, 4)
  head.writeUInt32BE(status, 8)
  head.writeUInt32BE(sequence, 12)
  return Buffer.concat([head, body])
}

/** Cuts a stream into units. It holds less than one unit of the largest size. */
export class PduReader {
  #unread: Buffer = Buffer.alloc(0)

  /** The units that are complete now. Throws SmppFormatError at a length that no unit has. */
  push(chunk: Buffer): readonly Pdu[] {
    this.#unread = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk])
    const units: Pdu[] = []
    for (;;) {
      const length = this.#unread.length < 4 ? undefined : this.#unread.readUInt32BE(0)
      if (length !== undefined && (length < HEAD || length > MAX_BYTES))
        throw new SmppFormatError(`a unit of ${length} bytes`)
      if (length === undefined || this.#unread.length < length) return units
      units.push(unitOf(this.#unread.subarray(0, length)))
      this.#unread = this.#unread.subarray(length)
    }
  }
}

function unitOf(bytes: Buffer): Pdu {
  return {
    command: bytes.readUInt32BE(4),
    status: bytes.readUInt32BE(8),
    sequence: bytes.readUInt32BE(12),
    // A copy: the chunk would stay in memory with it.
    body: Buffer.from(bytes.subarray(HEAD)),
  }
}
