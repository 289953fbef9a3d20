/** RTP packets (RFC 3550 §5.1), read into one reused header and written in place. */

export const RTP_HEADER_BYTES = 12

export interface RtpHeader {
  payloadType: number
  isMarked: boolean
  sequence: number
  timestamp: number
  ssrc: number
  payloadStart: number
  payloadEnd: number
}

export function createRtpHeader(): RtpHeader {
  return {
    payloadType: 0,
    isMarked: false,
    sequence: 0,
    timestamp: 0,
    ssrc: 0,
    payloadStart: 0,
    payloadEnd: 0,
  }
}

/**
 * Reads a header into `into`; false when this is not an RTP packet, and `into` is then meaningless.
 * Only the first `size` bytes are the packet. Never throws.
 */
export function readRtpPacket(
  packet: Uint8Array,
  into: RtpHeader,
  size: number = packet.length,
): boolean {
  const first = packet[0] ?? 0
  const second = packet[1] ?? 0
  if (size < RTP_HEADER_BYTES || first >> 6 !== 2) return false
  if (isRtcpType(second)) return false
  let start = RTP_HEADER_BYTES + 4 * (first & 0x0f)
  if ((first & 0x10) !== 0) {
    if (start + 4 > size) return false
    start += 4 + 4 * readUint16(packet, start + 2)
  }
  const end = (first & 0x20) === 0 ? size : endBeforePadding(packet, size)
  if (start > end) return false
  into.payloadType = second & 0x7f
  into.isMarked = (second & 0x80) !== 0
  into.sequence = readUint16(packet, 2)
  into.timestamp = readUint32(packet, 4)
  into.ssrc = readUint32(packet, 8)
  into.payloadStart = start
  into.payloadEnd = end
  return true
}

/** Returns the end of the payload of a padded packet; 0 when the padding length is invalid. */
function endBeforePadding(packet: Uint8Array, size: number): number {
  const padding = packet[size - 1] ?? 0
  return padding === 0 ? 0 : size - padding
}

export function writeRtpHeader(
  into: Uint8Array,
  payloadType: number,
  isMarked: boolean,
  sequence: number,
  timestamp: number,
  ssrc: number,
): void {
  into[0] = 0x80
  into[1] = (isMarked ? 0x80 : 0) | payloadType
  into[2] = sequence >>> 8
  into[3] = sequence
  writeUint32(into, 4, timestamp)
  writeUint32(into, 8, ssrc)
}

export function readUint16(from: Uint8Array, at: number): number {
  return ((from[at] ?? 0) << 8) | (from[at + 1] ?? 0)
}

export function readUint32(from: Uint8Array, at: number): number {
  return ((readUint16(from, at) << 16) | readUint16(from, at + 2)) >>> 0
}

export function writeUint32(into: Uint8Array, at: number, value: number): void {
  into[at] = value >>> 24
  into[at + 1] = value >>> 16
  into[at + 2] = value >>> 8
  into[at + 3] = value
}

/** The distance from `b` to `a` in a 32-bit space that wraps; negative when `a` is before `b`. */
export function timestampDistance(a: number, b: number): number {
  return (a - b) | 0
}

/** The distance from `b` to `a` in a 16-bit space that wraps; negative when `a` is before `b`. */
export function sequenceDistance(a: number, b: number): number {
  return ((a - b) << 16) >> 16
}

/**
 * True for the second byte of an RTCP packet on the RTP port (RFC 5761 §4), which no audio payload
 * type gives.
 */
function isRtcpType(second: number): boolean {
  return second >= 192 && second <= 223
}
