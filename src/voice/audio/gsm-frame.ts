/**
 * The 76 parameters of a frame of GSM 06.10 full-rate speech (20 ms), in the two packings that files use. One
 * has 33 bytes per frame, read from the most significant bit, with a leading 0xD. The other has 65 bytes per
 * two frames, read from the least significant bit, without it (WAV format 49).
 */

const GSM_BYTES = 33
const GSM_PAIR_BYTES = 65
const SIGNATURE = 0xd
const SIGNATURE_BITS = 4

/** The bits of each parameter in order (table 1.1): 8 log area ratios, then 4 equal sub-frames. */
const SUBFRAME_BITS = [7, 2, 2, 6, ...Array.from({ length: 13 }, () => 3)]
const PARAMETER_BITS = [
  ...[6, 6, 5, 5, 4, 4, 3, 3],
  ...Array.from({ length: 4 }, () => SUBFRAME_BITS).flat(),
]
const FRAME_BITS = PARAMETER_BITS.reduce((sum, bits) => sum + bits, 0)

export const isGsm = (file: Uint8Array): boolean =>
  file.length >= GSM_BYTES && everyFrameIsSigned(file)

function everyFrameIsSigned(file: Uint8Array): boolean {
  for (let at = 0; at + GSM_BYTES <= file.length; at += GSM_BYTES)
    if ((file[at] ?? 0) >> SIGNATURE_BITS !== SIGNATURE) return false
  return true
}

/** Yields the frames of a headerless file. A partial frame at the end is omitted. */
export function* gsmFrames(file: Uint8Array): Generator<Int16Array> {
  for (let at = 0; at + GSM_BYTES <= file.length; at += GSM_BYTES)
    yield unpack(file, at * 8 + SIGNATURE_BITS, mostSignificantFirst)
}

/** Yields the frames of a WAV file's data. */
export function* gsmPairFrames(data: Uint8Array): Generator<Int16Array> {
  for (let at = 0; at + GSM_PAIR_BYTES <= data.length; at += GSM_PAIR_BYTES) {
    yield unpack(data, at * 8, leastSignificantFirst)
    yield unpack(data, at * 8 + FRAME_BITS, leastSignificantFirst)
  }
}

type ReadBits = (bytes: Uint8Array, at: number, bits: number) => number

function unpack(bytes: Uint8Array, from: number, read: ReadBits): Int16Array {
  const parameters = new Int16Array(PARAMETER_BITS.length)
  let at = from
  for (const [index, bits] of PARAMETER_BITS.entries()) {
    parameters[index] = read(bytes, at, bits)
    at += bits
  }
  return parameters
}

const mostSignificantFirst: ReadBits = (bytes, at, bits) => {
  const pair = ((bytes[at >> 3] ?? 0) << 8) | (bytes[(at >> 3) + 1] ?? 0)
  return (pair >> (16 - (at & 7) - bits)) & ((1 << bits) - 1)
}

const leastSignificantFirst: ReadBits = (bytes, at, bits) => {
  const pair = (bytes[at >> 3] ?? 0) | ((bytes[(at >> 3) + 1] ?? 0) << 8)
  return (pair >> (at & 7)) & ((1 << bits) - 1)
}
