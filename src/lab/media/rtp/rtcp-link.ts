/**
 * Sends and receives RTCP beside RTP: a report about every 5 s. Only the time of the peer's last sender
 * report is used from received ones.
 */
import { randomInt } from 'node:crypto'
import type { Socket } from 'node:dgram'
import {
  NTP_EPOCH_S,
  type ReceptionFacts,
  type RtcpReading,
  readRtcp,
  writeReport,
} from '../codecs/rtcp-packet.js'
import type { SrtpContexts } from '../srtp/srtp-contexts.js'
import type { Latch } from './latch.js'
import type { RtpReceiver } from './rtp-receiver.js'
import { isDestination, type RtpSender } from './rtp-sender.js'

const INTERVAL_MS = 5000
/** Size of a report in bytes, including what SRTP adds. */
const REPORT_BYTES = 96 + 14
const NTP_UNITS_PER_MS = 65.536
/** The longest round trip that is believed: 10 s, in units of 1/65,536 s. */
const MAX_ROUND_TRIP_UNITS = 655_360

export interface RtcpLinkDeps {
  readonly socket: Socket
  readonly latch: Latch
  readonly srtp: SrtpContexts
  readonly sender: RtpSender
  readonly receiver: RtpReceiver
}

export class RtcpLink {
  readonly counts = { received: 0, ignored: 0 }
  readonly #deps: RtcpLinkDeps
  readonly #cname = `${randomInt(2 ** 47).toString(16)}@lab`
  readonly #packet = Buffer.alloc(REPORT_BYTES)
  readonly #reading: RtcpReading = {
    senderReport: undefined,
    hasBye: false,
    lastSenderReport: 0,
    delaySinceLast: 0,
  }
  /** The round trip by the peer's last report, ms; -1 without one. */
  roundTripMs = -1
  /** The middle 32 bits of the NTP time of the peer's last sender report. */
  #senderReportTime = 0
  /** The arrival time of that sender report. */
  #senderReportAtMs = 0
  #reportDueMs = 0
  /** Number of packets sent, as of our last report. */
  #sentBefore = 0
  /** Number of packets expected from the peer, as of our last report. */
  #expectedBefore = 0
  /** Number of packets lost, as of our last report. */
  #lostBefore = 0

  constructor(deps: RtcpLinkDeps) {
    this.#deps = deps
  }

  onPacket(packet: Buffer, address: string, nowMs: number): void {
    const { latch, srtp } = this.#deps
    const size = address === latch.address ? srtp.unprotect('rtcp', packet) : undefined
    if (size === undefined || !readRtcp(packet.subarray(0, size), this.#reading)) {
      this.counts.ignored++
      return
    }
    this.counts.received++
    this.#measureRoundTrip()
    if (this.#reading.senderReport === undefined) return
    this.#senderReportTime = this.#reading.senderReport
    this.#senderReportAtMs = nowMs
  }

  onTime(nowMs: number): void {
    // The intervals vary so that endpoints do not report in step (RFC 3550 §6.2).
    if (this.#reportDueMs === 0) this.#reportDueMs = nowMs + randomInt(INTERVAL_MS / 2, INTERVAL_MS)
    if (nowMs < this.#reportDueMs) return
    this.#reportDueMs = nowMs + randomInt(0.8 * INTERVAL_MS, 1.2 * INTERVAL_MS)
    this.#report(nowMs)
  }

  /** RFC 3550 §6.4.1: the present time, less that of our report and less the peer's delay. */
  #measureRoundTrip(): void {
    const { lastSenderReport, delaySinceLast } = this.#reading
    if (lastSenderReport === 0) return
    const now = Math.round((Date.now() / 1_000 + NTP_EPOCH_S) * 65_536) % 2 ** 32
    const units = (now - lastSenderReport - delaySinceLast) | 0
    // A clock that was set, or a report of another call, gives an impossible time.
    if (units > -65 && units < MAX_ROUND_TRIP_UNITS)
      this.roundTripMs = Math.max(0, units) / NTP_UNITS_PER_MS
  }

  #report(nowMs: number): void {
    const { latch, srtp, sender, receiver, socket } = this.#deps
    // A call that still rings has nothing to report.
    if (sender.counts.packets === 0 && receiver.reception.ssrc === undefined) return
    if (!isDestination(latch.address) || latch.port === 0 || latch.port === 0xffff) return
    const isSending = sender.counts.packets > this.#sentBefore
    this.#sentBefore = sender.counts.packets
    const facts = {
      epochMs: Date.now(),
      rtpTimestamp: sender.timestamp,
      packets: sender.counts.packets,
      bytes: sender.counts.bytes,
    }
    const bytes = writeReport(
      this.#packet,
      sender.ssrc,
      this.#cname,
      isSending ? facts : undefined,
      this.#receptionFacts(nowMs),
    )
    const size = srtp.protect('rtcp', this.#packet, bytes)
    socket.send(this.#packet.subarray(0, size), latch.port + 1, latch.address)
  }

  #receptionFacts(nowMs: number): ReceptionFacts | undefined {
    const { reception } = this.#deps.receiver
    if (reception.ssrc === undefined) return undefined
    const expected = reception.expected - this.#expectedBefore
    const lost = reception.packetsLost - this.#lostBefore
    this.#expectedBefore = reception.expected
    this.#lostBefore = reception.packetsLost
    return {
      ssrc: reception.ssrc,
      fractionLost:
        expected > 0 && lost > 0 ? Math.min(255, Math.floor((lost * 256) / expected)) : 0,
      packetsLost: reception.packetsLost,
      highestSequence: reception.highestSequence,
      jitter: Math.round(reception.jitter),
      lastSenderReport: this.#senderReportTime,
      delaySinceLast:
        this.#senderReportTime === 0
          ? 0
          : Math.round((nowMs - this.#senderReportAtMs) * NTP_UNITS_PER_MS),
    }
  }
}
