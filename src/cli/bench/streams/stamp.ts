/**
 * A number in the last bytes of 20 ms of µ-law, so that the frame is found again behind the server.
 * Only codes that come out of decoding and encoding as they went in.
 */
const MARK = 0x00
const DIGIT = 0x10
/** Number of four-bit parts of a stamp. */
const DIGITS = 5
const STAMP_BYTES = DIGITS + 1

/** 0 to 2²⁰ − 1. */
export function writeStamp(payload: Uint8Array, number: number): void {
  const at = payload.length - STAMP_BYTES
  payload[at] = MARK
  for (let digit = 0; digit < DIGITS; digit += 1)
    payload[at + 1 + digit] = DIGIT + ((number >> (4 * digit)) & 0xf)
}

/** Wherever it is in the payload; undefined without a whole one. */
export function readStamp(payload: Uint8Array): number | undefined {
  const at = payload.indexOf(MARK)
  if (at < 0 || at + STAMP_BYTES > payload.length) return undefined
  let number = 0
  for (let digit = 0; digit < DIGITS; digit += 1)
    number |= (((payload[at + 1 + digit] ?? 0) - DIGIT) & 0xf) << (4 * digit)
  return number
}

/** Finds stamps in audio that comes in pieces, also one that two of them share. */
export class StampReader {
  #rest: Buffer = Buffer.alloc(0)

  /** The last stamp that is whole with this piece; undefined without one. */
  read(payload: Buffer): number | undefined {
    const joined = Buffer.concat([this.#rest, payload])
    this.#rest = joined.subarray(1 - STAMP_BYTES)
    return readStamp(joined)
  }
}
