/** Writes RTCP reports (RFC 3550 §6.4), and parses the few fields of received ones that we use. */
import { readUint16, readUint32, writeUint32 } from './rtp-packet.js'

const SENDER_REPORT = 200
const RECEIVER_REPORT = 201
const SOURCE_DESCRIPTION = 202
const BYE = 203
const CNAME = 1
/** The seconds between 1900 (NTP) and 1970 (Unix). */
export const NTP_EPOCH_S = 2_208_988_800

export interface SenderFacts {
  readonly epochMs: number
  readonly rtpTimestamp: number
  readonly packets: number
  readonly bytes: number
}

export interface ReceptionFacts {
  readonly ssrc: number
  /** The share of packets lost since the last report, in 1/256 (0–255). */
  readonly fractionLost: number
  readonly packetsLost: number
  readonly highestSequence: number
  /** The interarrival jitter in timestamp units. */
  readonly jitter: number
  /** The middle 32 bits of the NTP time of the peer's last sender report. */
  readonly lastSenderReport: number
  readonly delaySinceLast: number
}

/**
 * Writes a compound packet (SR or RR, then SDES with the CNAME) and returns its length. `into` needs
 * 96 bytes with a name of at most 24 characters.
 */
export function writeReport(
  into: Uint8Array,
  ssrc: number,
  cname: string,
  sender: SenderFacts | undefined,
  reception: ReceptionFacts | undefined,
): number {
  let at = 8
  if (sender !== undefined) at = writeSender(into, at, sender)
  if (reception !== undefined) at = writeReception(into, at, reception)
  const type = sender === undefined ? RECEIVER_REPORT : SENDER_REPORT
  writePacketHeader(into, 0, type, reception === undefined ? 0 : 1, at)
  writeUint32(into, 4, ssrc)
  return writeDescription(into, at, ssrc, cname)
}

export interface RtcpReading {
  /** The middle 32 bits of the NTP time of a sender report, for our next report. */
  senderReport: number | undefined
  hasBye: boolean
  /** The first report block's time of our last sender report, and the delay since then; 0 without one. */
  lastSenderReport: number
  delaySinceLast: number
}

/** Reads a compound packet into `reading`; false when it is malformed. Never throws. */
export function readRtcp(packet: Uint8Array, reading: RtcpReading): boolean {
  reading.senderReport = undefined
  reading.hasBye = false
  reading.lastSenderReport = 0
  reading.delaySinceLast = 0
  let at = 0
  while (at + 4 <= packet.length) {
    const type = packet[at + 1] ?? 0
    const bytes = 4 * (readUint16(packet, at + 2) + 1)
    if ((packet[at] ?? 0) >> 6 !== 2 || at + bytes > packet.length) return false
    if (type < 192 || type > 223) return false
    if (type === SENDER_REPORT && bytes >= 28) reading.senderReport = readUint32(packet, at + 10)
    if (type === BYE) reading.hasBye = true
    readBlock(packet, at, type, bytes, reading)
    at += bytes
  }
  return at > 0 && at === packet.length
}

/** Reads the first report block of a sender or receiver report. */
function readBlock(
  packet: Uint8Array,
  at: number,
  type: number,
  bytes: number,
  reading: RtcpReading,
): void {
  if (type !== SENDER_REPORT && type !== RECEIVER_REPORT) return
  const start = at + (type === SENDER_REPORT ? 28 : 8)
  if (((packet[at] ?? 0) & 0x1f) === 0 || start + 24 > at + bytes) return
  reading.lastSenderReport = readUint32(packet, start + 16)
  reading.delaySinceLast = readUint32(packet, start + 20)
}

function writeSender(into: Uint8Array, at: number, sender: SenderFacts): number {
  writeUint32(into, at, Math.floor(sender.epochMs / 1000) + NTP_EPOCH_S)
  writeUint32(into, at + 4, ((sender.epochMs % 1000) / 1000) * 4_294_967_296)
  writeUint32(into, at + 8, sender.rtpTimestamp)
  writeUint32(into, at + 12, sender.packets)
  writeUint32(into, at + 16, sender.bytes)
  return at + 20
}

function writeReception(into: Uint8Array, at: number, reception: ReceptionFacts): number {
  writeUint32(into, at, reception.ssrc)
  const lost = Math.max(-0x80_0000, Math.min(0x7f_ffff, reception.packetsLost)) & 0xff_ffff
  writeUint32(into, at + 4, (reception.fractionLost << 24) | lost)
  writeUint32(into, at + 8, reception.highestSequence)
  writeUint32(into, at + 12, reception.jitter)
  writeUint32(into, at + 16, reception.lastSenderReport)
  writeUint32(into, at + 20, reception.delaySinceLast)
  return at + 24
}

function writeDescription(into: Uint8Array, start: number, ssrc: number, cname: string): number {
  let at = start + 4
  writeUint32(into, at, ssrc)
  into[at + 4] = CNAME
  into[at + 5] = cname.length
  for (let i = 0; i < cname.length; i++) into[at + 6 + i] = cname.charCodeAt(i) & 0x7f
  at += 6 + cname.length
  do into[at++] = 0
  while ((at - start) % 4 !== 0)
  writePacketHeader(into, start, SOURCE_DESCRIPTION, 1, at - start)
  return at
}

function writePacketHeader(
  into: Uint8Array,
  at: number,
  type: number,
  count: number,
  bytes: number,
): void {
  writeUint32(into, at, (0x80 << 24) | (count << 24) | (type << 16) | (bytes / 4 - 1))
}
