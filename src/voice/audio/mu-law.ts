/** G.711 µ-law to and from 16-bit little-endian samples, by tables (ITU-T G.711, table 2). */

const BIAS = 0x84
const CLIP = 32_635

const TO_LINEAR = Int16Array.from({ length: 256 }, (_, byte) => {
  const inverted = ~byte & 0xff
  const magnitude = (((inverted & 0x0f) << 3) + BIAS) << ((inverted & 0x70) >> 4)
  return (inverted & 0x80) === 0 ? magnitude - BIAS : BIAS - magnitude
})

/** By the sample's 16 bits, unsigned. */
const TO_MU_LAW = Uint8Array.from({ length: 65_536 }, (_, bits) => {
  const sample = (bits << 16) >> 16
  const magnitude = Math.min(CLIP, Math.abs(sample)) + BIAS
  const exponent = Math.max(0, 31 - Math.clz32(magnitude) - 7)
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | mantissa) & 0xff
})

export function decodeMuLaw(bytes: Uint8Array): Buffer {
  const samples = Buffer.allocUnsafe(bytes.length * 2)
  for (let i = 0; i < bytes.length; i += 1) {
    const sample = TO_LINEAR[bytes[i] ?? 0] ?? 0
    samples[2 * i] = sample & 0xff
    samples[2 * i + 1] = (sample >> 8) & 0xff
  }
  return samples
}

/** Fills `target` with one channel's samples, the first of them `offset` bytes in, `stride` bytes apart. */
export function encodeMuLaw(
  samples: Uint8Array,
  layout: { readonly offset: number; readonly stride: number },
  target: Uint8Array,
): void {
  let at = layout.offset
  for (let i = 0; i < target.length; i += 1) {
    target[i] = TO_MU_LAW[(samples[at] ?? 0) | ((samples[at + 1] ?? 0) << 8)] ?? 0xff
    at += layout.stride
  }
}
