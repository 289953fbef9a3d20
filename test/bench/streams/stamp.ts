/**
 * Writes and reads a number in the last bytes of 20 ms of µ-law, so that a frame can be recognised
 * after it passed through the server. It uses only codes that decoding and encoding leave
 * unchanged.
 */
const MARK = 0x00
const DIGIT = 0x10
/** The number of four-bit parts of a stamp. */
const DIGITS = 5
const STAMP_BYTES = DIGITS + 1

/** Writes a stamp from 0 to 2²⁰ − 1. */
export function writeStamp(payload: Uint8Array, number: number): void {
  const at = payload.length - STAMP_BYTES
  payload[at] = MARK
  for (let digit = 0; digit < DIGITS; digit += 1)
    payload[at + 1 + digit] = DIGIT + ((number >> (4 * digit)) & 0xf)
}

/** Finds the stamp wherever it is in the payload; undefined when there is no whole one. */
export function readStamp(payload: Uint8Array): number | undefined {
  const at = payload.indexOf(MARK)
  if (at < 0 || at + STAMP_BYTES > payload.length) return undefined
  let number = 0
  for (let digit = 0; digit < DIGITS; digit += 1)
    number |= (((payload[at + 1 + digit] ?? 0) - DIGIT) & 0xf) << (4 * digit)
  return number
}

/** Finds stamps in audio that comes in pieces, a stamp that spans two pieces included. */
export class StampReader {
  #rest: Buffer = Buffer.alloc(0)

  /** Returns the last stamp that this piece completes; undefined when there is none. */
  read(payload: Buffer): number | undefined {
    const joined = Buffer.concat([this.#rest, payload])
    this.#rest = joined.subarray(1 - STAMP_BYTES)
    return readStamp(joined)
  }
}
