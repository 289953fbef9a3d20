/** Encodes and decodes RTP packets (RFC 3550 §5.1) and telephone events (RFC 4733 §2.3) for test parties. */

export interface RtpPacket {
  readonly payloadType: number
  readonly isMarked: boolean
  readonly sequence: number
  readonly timestamp: number
  readonly ssrc: number
  readonly payload: Buffer
}

/** Keys in the order of their event numbers. */
export const KEYS = '0123456789*#ABCD'
const HEAD_BYTES = 12
const VOLUME = 10

export function writeRtp(packet: RtpPacket): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head[0] = 0x80
  head[1] = (packet.isMarked ? 0x80 : 0) | packet.payloadType
  head.writeUInt16BE(packet.sequence & 0xffff, 2)
  head.writeUInt32BE(packet.timestamp >>> 0, 4)
  head.writeUInt32BE(packet.ssrc, 8)
  return Buffer.concat([head, packet.payload])
}

/** Decodes a plain packet; undefined for one with an extension, padding or contributing sources. */
export function readRtp(bytes: Buffer): RtpPacket | undefined {
  if (bytes.length < HEAD_BYTES || bytes[0] !== 0x80) return undefined
  const second = bytes.readUInt8(1)
  return {
    payloadType: second & 0x7f,
    isMarked: (second & 0x80) !== 0,
    sequence: bytes.readUInt16BE(2),
    timestamp: bytes.readUInt32BE(4),
    ssrc: bytes.readUInt32BE(8),
    payload: bytes.subarray(HEAD_BYTES),
  }
}

/** Encodes a telephone event for a key that has been pressed for `samples` samples. */
export function writeKey(key: string, samples: number, isEnd: boolean): Buffer {
  const payload = Buffer.alloc(4)
  payload[0] = KEYS.indexOf(key)
  payload[1] = (isEnd ? 0x80 : 0) | VOLUME
  payload.writeUInt16BE(samples, 2)
  return payload
}

/**
 * Decodes a telephone event: the key, and whether it is released; undefined for a payload that is too short.
 */
export function readKey(
  payload: Buffer,
): { readonly key: string; readonly isEnd: boolean } | undefined {
  if (payload.length < 4) return undefined
  return { key: KEYS[payload.readUInt8(0)] ?? '?', isEnd: (payload.readUInt8(1) & 0x80) !== 0 }
}
