/** The two laws of ITU-T G.711 as tables, at 16-bit scale (as sox and FreeSWITCH scale them). */

export interface G711Law {
  /** Sample of each code. */
  readonly toLinear: Int16Array
  /** Code of each sample, indexed by its 16 bits as unsigned: `fromLinear[sample & 0xffff]`. */
  readonly fromLinear: Uint8Array
}

const MU_LAW_BIAS = 132
const MU_LAW_CLIP = 32_635
const A_LAW_SEGMENT_ENDS = [0x1f, 0x3f, 0x7f, 0xff, 0x1ff, 0x3ff, 0x7ff, 0xfff]

export const MU_LAW: G711Law = createLaw(decodeMuLaw, encodeMuLaw)
export const A_LAW: G711Law = createLaw(decodeALaw, encodeALaw)

function createLaw(
  decodeOne: (code: number) => number,
  encodeOne: (sample: number) => number,
): G711Law {
  return {
    toLinear: Int16Array.from({ length: 256 }, (_, code) => decodeOne(code)),
    fromLinear: Uint8Array.from({ length: 65_536 }, (_, bits) =>
      encodeOne(bits < 32_768 ? bits : bits - 65_536),
    ),
  }
}

function decodeMuLaw(code: number): number {
  const inverted = ~code & 0xff
  const exponent = (inverted >> 4) & 7
  const magnitude = ((((inverted & 0x0f) << 3) + MU_LAW_BIAS) << exponent) - MU_LAW_BIAS
  return (inverted & 0x80) === 0 ? magnitude : -magnitude
}

function encodeMuLaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0
  const magnitude = Math.min(Math.abs(sample), MU_LAW_CLIP) + MU_LAW_BIAS
  const exponent = 24 - Math.clz32(magnitude)
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f
  return ~(sign | (exponent << 4) | mantissa) & 0xff
}

function decodeALaw(code: number): number {
  const toggled = code ^ 0x55
  const segment = (toggled >> 4) & 7
  const step = (toggled & 0x0f) << 4
  const magnitude = segment === 0 ? step + 8 : (step + 0x108) << (segment - 1)
  return (toggled & 0x80) === 0 ? -magnitude : magnitude
}

function encodeALaw(sample: number): number {
  const scaled = sample >> 3
  const mask = scaled >= 0 ? 0xd5 : 0x55
  const magnitude = scaled >= 0 ? scaled : -scaled - 1
  const segment = A_LAW_SEGMENT_ENDS.findIndex((end) => magnitude <= end)
  if (segment < 0) return 0x7f ^ mask
  const mantissa = (magnitude >> Math.max(1, segment)) & 0x0f
  return ((segment << 4) | mantissa) ^ mask
}
