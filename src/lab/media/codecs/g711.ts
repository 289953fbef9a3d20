/** G.711 with its tables. */
import { A_LAW, type G711Law, MU_LAW } from '../../../platform/audio/g711.js'

export type G711 = 'PCMU' | 'PCMA'

export interface G711Codec extends G711Law {
  readonly name: G711
  /** The static RTP payload type (RFC 3551 §6). */
  readonly payloadType: number
}

export const PCMU: G711Codec = { ...MU_LAW, name: 'PCMU', payloadType: 0 }
export const PCMA: G711Codec = { ...A_LAW, name: 'PCMA', payloadType: 8 }

/** Returns the codec of a static payload type; undefined for any type except PCMU and PCMA. */
export function lawOf(payloadType: number): G711Codec | undefined {
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
