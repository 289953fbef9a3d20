/** Connects an endpoint to its peer: owns the two sockets and decides which packets are the peer's. */
import type { RemoteInfo } from 'node:dgram'
import { performance } from 'node:perf_hooks'
import type { ReportDigit } from '../dsp/digit-receiver.js'
import type { EndpointStats } from '../model/media-endpoint.js'
import type { RemoteMedia } from '../model/remote-media.js'
import { SrtpContexts } from '../srtp/srtp-contexts.js'
import { Latch } from './latch.js'
import type { MediaRelays } from './media-relays.js'
import { RtcpLink } from './rtcp-link.js'
import { RtpReceiver } from './rtp-receiver.js'
import { RtpSender } from './rtp-sender.js'
import { closeUdpPair, type UdpPair } from './udp-pair.js'

export interface RtpLinkEvents {
  readonly onDigit: ReportDigit
  /** Called when reading a packet throws, which is a bug. */
  readonly onFault: (error: unknown) => void
  /** Called at the first packet that fails SRTP's authentication. */
  readonly onForged: () => void
}

export class RtpLink {
  readonly sender: RtpSender
  readonly receiver: RtpReceiver
  readonly #rtcp: RtcpLink
  readonly #pair: UdpPair
  readonly #latch: Latch
  readonly #srtp: SrtpContexts
  #remote: RemoteMedia | undefined

  constructor(pair: UdpPair, relays: MediaRelays, events: RtpLinkEvents) {
    this.#pair = pair
    this.#latch = new Latch(relays)
    this.#srtp = new SrtpContexts(events.onForged)
    this.sender = new RtpSender(pair.rtp, this.#latch, this.#srtp)
    this.receiver = new RtpReceiver(this.#latch, this.#srtp, events.onDigit)
    this.#rtcp = new RtcpLink({
      socket: pair.rtcp,
      latch: this.#latch,
      srtp: this.#srtp,
      sender: this.sender,
      receiver: this.receiver,
    })
    pair.rtp.on('message', (packet: Buffer, from: RemoteInfo) => {
      this.#guard(events, () => {
        this.receiver.onPacket(packet, from.address, from.port, performance.now())
      })
    })
    pair.rtcp.on('message', (packet: Buffer, from: RemoteInfo) => {
      this.#guard(events, () => {
        this.#rtcp.onPacket(packet, from.address, performance.now())
      })
    })
    // A datagram that the network refuses counts as lost; the socket stays open.
    pair.rtp.on('error', ignoreNetworkError)
    pair.rtcp.on('error', ignoreNetworkError)
  }

  get port(): number {
    return this.#pair.port
  }

  get remote(): RemoteMedia | undefined {
    return this.#remote
  }

  setRemote(remote: RemoteMedia): void {
    this.#remote = remote
    this.#latch.setSignalled(remote)
    this.#srtp.setKeys(remote.srtp)
    this.receiver.setRemote(remote)
    this.sender.setRemote(remote)
  }

  onTime(nowMs: number): void {
    this.receiver.digits.onTime(nowMs)
    if (this.#remote === undefined) return
    if (this.sender.counts.packets > 0) this.#latch.onSending(nowMs)
    this.#rtcp.onTime(nowMs)
  }

  stats(): EndpointStats {
    const { reception, counts } = this.receiver
    return {
      packetsSent: this.sender.counts.packets,
      packetsReceived: counts.received,
      packetsLost: Math.max(0, reception.packetsLost),
      packetsIgnored: counts.ignored + this.#rtcp.counts.ignored,
      packetsForged: this.#srtp.counts.forged,
      packetsReplayed: this.#srtp.counts.replayed,
      jitterMs: reception.jitterMs,
      bytesSent: this.sender.counts.bytes,
      bytesReceived: counts.bytes,
      largestGapMs: counts.largestGapMs,
      digitPackets: counts.digits,
      unexpectedType: counts.unexpectedType,
      roundTripMs: this.#rtcp.roundTripMs,
      sourceAddress: this.#latch.isLatched ? this.#latch.address : '',
      sourcePort: this.#latch.isLatched ? this.#latch.port : 0,
    }
  }

  close(): Promise<void> {
    return closeUdpPair(this.#pair)
  }

  #guard(events: RtpLinkEvents, handle: () => void): void {
    try {
      handle()
    } catch (error) {
      events.onFault(error)
    }
  }
}

function ignoreNetworkError(): void {
  // see above
}
