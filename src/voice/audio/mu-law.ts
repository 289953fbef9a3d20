/** Converts G.711 µ-law to and from 16-bit little-endian samples. */
import { MU_LAW } from '../../platform/audio/g711.js'

export function decodeMuLaw(bytes: Uint8Array): Buffer {
  const samples = Buffer.allocUnsafe(bytes.length * 2)
  for (let i = 0; i < bytes.length; i += 1) {
    const sample = MU_LAW.toLinear[bytes[i] ?? 0] ?? 0
    samples[2 * i] = sample & 0xff
    samples[2 * i + 1] = (sample >> 8) & 0xff
  }
  return samples
}

/**
 * Fills `target` with one channel's samples. The first is at `offset` bytes, each next one `stride` bytes
 * further.
 */
export function encodeMuLaw(
  samples: Uint8Array,
  layout: { readonly offset: number; readonly stride: number },
  target: Uint8Array,
): void {
  let at = layout.offset
  for (let i = 0; i < target.length; i += 1) {
    target[i] = MU_LAW.fromLinear[(samples[at] ?? 0) | ((samples[at + 1] ?? 0) << 8)] ?? 0xff
    at += layout.stride
  }
}
