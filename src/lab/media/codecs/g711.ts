/** The two laws of ITU-T G.711 as tables, at 16-bit scale (as sox and FreeSWITCH scale them). */
export type G711 = 'PCMU' | 'PCMA'

export interface G711Codec {
  readonly name: G711
  /** Static RTP payload type (RFC 3551 §6). */
  readonly payloadType: number
  /** The code of linear zero. */
  readonly silence: number
  readonly toLinear: Int16Array
  /** By the sample's 16 bits taken as unsigned: `fromLinear[sample & 0xffff]`. */
  readonly fromLinear: Uint8Array
}

const ULAW_BIAS = 132
const ULAW_CLIP = 32_635
const ALAW_SEGMENT_ENDS = [0x1f, 0x3f, 0x7f, 0xff, 0x1ff, 0x3ff, 0x7ff, 0xfff]

export const PCMU: G711Codec = createCodec('PCMU', 0, decodeUlaw, encodeUlaw)
export const PCMA: G711Codec = createCodec('PCMA', 8, decodeAlaw, encodeAlaw)

export function codecNamed(name: G711): G711Codec {
  return name === 'PCMU' ? PCMU : PCMA
}

/** The codec of a static payload type, if it is one of the two. */
export function codecOfPayloadType(payloadType: number): G711Codec | undefined {
  if (payloadType === PCMU.payloadType) return PCMU
  return payloadType === PCMA.payloadType ? PCMA : undefined
}

/** Writes `count` codes to `into` at `offset`. */
export function encode(
  codec: G711Codec,
  samples: Int16Array,
  into: Uint8Array,
  offset: number,
  count: number,
): void {
  const table = codec.fromLinear
  for (let i = 0; i < count; i++) into[offset + i] = table[(samples[i] ?? 0) & 0xffff] ?? 0
}

function createCodec(
  name: G711,
  payloadType: number,
  decodeOne: (code: number) => number,
  encodeOne: (sample: number) => number,
): G711Codec {
  const toLinear = Int16Array.from({ length: 256 }, (_, code) => decodeOne(code))
  const fromLinear = Uint8Array.from({ length: 65_536 }, (_, bits) =>
    encodeOne(bits < 32_768 ? bits : bits - 65_536),
  )
  return { name, payloadType, silence: fromLinear[0] ?? 0, toLinear, fromLinear }
}

function decodeUlaw(code: number): number {
  const inverted = ~code & 0xff
  const exponent = (inverted >> 4) & 7
  const magnitude = ((((inverted & 0x0f) << 3) + ULAW_BIAS) << exponent) - ULAW_BIAS
  return (inverted & 0x80) === 0 ? magnitude : -magnitude
}

function encodeUlaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0
  const magnitude = Math.min(Math.abs(sample), ULAW_CLIP) + ULAW_BIAS
  const exponent = 24 - Math.clz32(magnitude)
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f
  return ~(sign | (exponent << 4) | mantissa) & 0xff
}

function decodeAlaw(code: number): number {
  const toggled = code ^ 0x55
  const segment = (toggled >> 4) & 7
  const step = (toggled & 0x0f) << 4
  const magnitude = segment === 0 ? step + 8 : (step + 0x108) << (segment - 1)
  return (toggled & 0x80) === 0 ? -magnitude : magnitude
}

function encodeAlaw(sample: number): number {
  const scaled = sample >> 3
  const mask = scaled >= 0 ? 0xd5 : 0x55
  const magnitude = scaled >= 0 ? scaled : -scaled - 1
  const segment = ALAW_SEGMENT_ENDS.findIndex((end) => magnitude <= end)
  if (segment < 0) return 0x7f ^ mask
  const mantissa = (magnitude >> Math.max(1, segment)) & 0x0f
  return ((segment << 4) | mantissa) ^ mask
}
