/** Sorts the packets on the RTP port into audio and digits, or ignores and counts them. */
import { AudioDecoder, isAudio } from '../codecs/audio-codec.js'
import { Reception } from '../codecs/reception.js'
import { createRtpHeader, readRtpPacket } from '../codecs/rtp-packet.js'
import { createTelephoneEvent, readTelephoneEvent } from '../codecs/telephone-event.js'
import { DigitReceiver, type ReportDigit } from '../dsp/digit-receiver.js'
import { JitterBuffer } from '../dsp/jitter-buffer.js'
import type { Arrival } from '../model/audio-flow.js'
import type { RemoteMedia } from '../model/remote-media.js'
import type { SrtpContexts } from '../srtp/srtp-contexts.js'
import type { Latch } from './latch.js'

/**
 * The payload type of comfort noise (RFC 3389): the peer's silence, which the gap in the timestamps
 * shows already.
 */
const COMFORT_NOISE = 13
const NO_EVENTS = -1
/**
 * Buffer for the samples of the current packet, shared by all receivers; half a second is the maximum length.
 */
const SAMPLES = new Int16Array(4_000)

export class RtpReceiver {
  readonly reception = new Reception()
  readonly digits: DigitReceiver
  readonly arrivals = new Set<Arrival>()
  readonly #decoder = new AudioDecoder()
  readonly #jitter = new JitterBuffer()
  readonly #latch: Latch
  readonly #srtp: SrtpContexts
  /** The header that is filled in anew for each packet. */
  readonly #header = createRtpHeader()
  readonly #event = createTelephoneEvent()
  readonly counts = {
    received: 0,
    ignored: 0,
    bytes: 0,
    digits: 0,
    largestGapMs: 0,
    unexpectedType: -1,
  }
  #eventSsrc: number | undefined
  #isListening = false
  #isPeerKnown = false
  #isMuted = false
  #eventType = NO_EVENTS
  #lastPacketMs: number | undefined

  constructor(latch: Latch, srtp: SrtpContexts, onDigit: ReportDigit) {
    this.#latch = latch
    this.#srtp = srtp
    this.digits = new DigitReceiver(onDigit)
  }

  /** The arrival time of the peer's last packet; undefined before the first. */
  get lastPacketMs(): number | undefined {
    return this.#lastPacketMs
  }

  get isListening(): boolean {
    return this.#isListening
  }

  setRemote(remote: RemoteMedia): void {
    const isListening = remote.direction === 'sendrecv' || remote.direction === 'recvonly'
    if (this.#isListening && !isListening) this.#jitter.reset()
    this.#isPeerKnown = true
    this.#isListening = isListening
    this.#eventType = remote.localDtmfPayloadType ?? remote.dtmfPayloadType ?? NO_EVENTS
  }

  /** Reads one frame of the peer's audio; silence while our direction excludes receiving. */
  take(into: Int16Array): void {
    if (this.#isListening) this.#jitter.take(into)
    else into.fill(0)
  }

  /**
   * Mutes the receiver, which then passes on no audio as it arrives. The taker mutes what it takes
   * at the tick.
   */
  setMuted(isMuted: boolean): void {
    this.#isMuted = isMuted
  }

  /** Receives a datagram; SRTP is decrypted in place before any of its content is used. */
  onPacket(packet: Buffer, address: string, port: number, nowMs: number): void {
    const header = this.#header
    const size = this.#isPeerKnown ? this.#srtp.unprotect('rtp', packet) : undefined
    if (
      size === undefined ||
      !readRtpPacket(packet, header, size) ||
      !this.#isExpectedFrom(address) ||
      !this.#latch.accepts(address, port, nowMs)
    ) {
      this.counts.ignored++
      return
    }
    this.#count(size, nowMs)
    if (header.payloadType === this.#eventType) this.#onEvent(packet, nowMs)
    else this.#onAudio(packet, nowMs)
  }

  #count(size: number, nowMs: number): void {
    const { counts } = this
    counts.received++
    counts.bytes += size
    if (this.#lastPacketMs !== undefined)
      counts.largestGapMs = Math.max(counts.largestGapMs, nowMs - this.#lastPacketMs)
    if (this.#header.payloadType === this.#eventType) counts.digits++
    this.#lastPacketMs = nowMs
  }

  /** True for a payload type that was agreed; records another one that comes from the peer's address. */
  #isExpectedFrom(address: string): boolean {
    const { payloadType } = this.#header
    if (payloadType === this.#eventType || payloadType === COMFORT_NOISE || isAudio(payloadType))
      return true
    if (address === this.#latch.address) this.counts.unexpectedType = payloadType
    return false
  }

  /**
   * Takes a telephone-event packet. Some phones send keys from a source of their own (RFC 3550
   * §5.2); the audio's goes on beside it.
   */
  #onEvent(packet: Uint8Array, nowMs: number): void {
    const { ssrc, sequence, timestamp, payloadStart, payloadEnd, isMarked } = this.#header
    if (ssrc !== this.#eventSsrc) this.digits.restart()
    this.#eventSsrc = ssrc
    if (this.reception.ssrc === undefined || ssrc === this.reception.ssrc)
      this.reception.onPacket(ssrc, sequence, timestamp, nowMs)
    if (!this.#isListening) return
    if (readTelephoneEvent(packet, payloadStart, payloadEnd, this.#event))
      this.digits.onPacket(this.#event, timestamp, sequence, nowMs, isMarked)
  }

  #onAudio(packet: Uint8Array, nowMs: number): void {
    const { ssrc, sequence, timestamp, payloadType, payloadStart, payloadEnd, isMarked } =
      this.#header
    if (ssrc !== this.reception.ssrc) {
      this.#jitter.reset()
      this.#decoder.restart()
    }
    this.reception.onPacket(ssrc, sequence, timestamp, nowMs)
    if (!isAudio(payloadType) || !this.#isListening) return
    const count = this.#decoder.decode(payloadType, packet, payloadStart, payloadEnd, SAMPLES)
    this.#jitter.put(SAMPLES, count, timestamp, isMarked)
    if (this.#isMuted) return
    for (const arrival of this.arrivals) arrival.onAudio(SAMPLES, count, timestamp)
  }
}
