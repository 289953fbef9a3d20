/**
 * Parses the framing of the control protocol: `<length>#<payload>`, payload in UTF-8, length in bytes. A
 * frame may arrive in pieces, and several frames may arrive at once.
 */

/** Maximum size of a frame in bytes. A client that sends a larger one is broken or hostile. */
const MAX_FRAME_BYTES = 1_048_576
const MAX_LENGTH_DIGITS = 7
const HASH = 0x23

/** Thrown when the framing is lost; the connection must then be closed. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}

export function encodeFrame(payload: string): Buffer {
  const text = Buffer.from(payload, 'utf8')
  return Buffer.concat([Buffer.from(`${text.length}#`, 'latin1'), text])
}

/** Buffers the bytes of one connection and returns complete payloads. */
export class FrameReader {
  #pending: Buffer = Buffer.alloc(0)

  /** Returns the payloads that this chunk completes, in order. Throws FrameError when the framing is lost. */
  push(chunk: Buffer): string[] {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    const payloads: string[] = []
    for (;;) {
      const start = payloadStart(this.#pending)
      if (start === undefined) return payloads
      const length = payloadLength(this.#pending, start)
      if (this.#pending.length < start + length) return payloads
      payloads.push(this.#pending.toString('utf8', start, start + length))
      this.#pending = this.#pending.subarray(start + length)
    }
  }
}

/** Returns the offset behind the `#`; undefined until the `#` has arrived. */
function payloadStart(bytes: Buffer): number | undefined {
  const hash = bytes.subarray(0, MAX_LENGTH_DIGITS + 1).indexOf(HASH)
  if (hash >= 0) return hash + 1
  if (bytes.length > MAX_LENGTH_DIGITS) throw new FrameError('no length before the frame')
  return undefined
}

function payloadLength(bytes: Buffer, start: number): number {
  const digits = bytes.toString('latin1', 0, start - 1)
  const length = /^\d+$/.test(digits) ? Number(digits) : 0
  if (length === 0 || length > MAX_FRAME_BYTES) throw new FrameError(`bad frame length ${digits}`)
  return length
}
