/** What comes in on the RTP port: sorted into audio and digits, or ignored and counted. */
import { codecOfPayloadType } from '../codecs/g711.js'
import { Reception } from '../codecs/reception.js'
import { createRtpHeader, readRtpPacket } from '../codecs/rtp-packet.js'
import { createTelephoneEvent, readTelephoneEvent } from '../codecs/telephone-event.js'
import { DigitReceiver, type ReportDigit } from '../dsp/digit-receiver.js'
import { JitterBuffer } from '../dsp/jitter-buffer.js'
import type { Arrival } from '../model/audio-flow.js'
import type { RemoteMedia } from '../model/remote-media.js'
import type { Latch } from './latch.js'

/** RFC 3389: the peer's silence; the gap in the timestamps says it all. */
const COMFORT_NOISE = 13
const NO_EVENTS = -1

export class RtpReceiver {
  readonly reception = new Reception()
  readonly digits: DigitReceiver
  readonly arrivals = new Set<Arrival>()
  readonly #jitter = new JitterBuffer()
  readonly #latch: Latch
  /** Filled in anew for each packet. */
  readonly #scratch = { header: createRtpHeader(), event: createTelephoneEvent() }
  readonly counts = { received: 0, ignored: 0 }
  #eventSsrc: number | undefined
  readonly #state = {
    isListening: false,
    isPeerKnown: false,
    isMuted: false,
    eventType: NO_EVENTS,
    lastPacketMs: undefined as number | undefined,
  }

  constructor(latch: Latch, onDigit: ReportDigit) {
    this.#latch = latch
    this.digits = new DigitReceiver(onDigit)
  }

  /** When the last packet of the peer came; undefined before the first. */
  get lastPacketMs(): number | undefined {
    return this.#state.lastPacketMs
  }

  get isListening(): boolean {
    return this.#state.isListening
  }

  setRemote(remote: RemoteMedia): void {
    const isListening = remote.direction === 'sendrecv' || remote.direction === 'recvonly'
    if (this.#state.isListening && !isListening) this.#jitter.reset()
    this.#state.isPeerKnown = true
    this.#state.isListening = isListening
    this.#state.eventType = remote.localDtmfPayloadType ?? remote.dtmfPayloadType ?? NO_EVENTS
  }

  /** One frame of what the peer says; silence while we do not listen. */
  take(into: Int16Array): void {
    if (this.#state.isListening) this.#jitter.take(into)
    else into.fill(0)
  }

  /** Muted: what arrives is not passed on at once; what is taken at the tick is the taker's to mute. */
  setMuted(isMuted: boolean): void {
    this.#state.isMuted = isMuted
  }

  onPacket(packet: Uint8Array, address: string, port: number, nowMs: number): void {
    const header = this.#scratch.header
    if (
      !this.#state.isPeerKnown ||
      !readRtpPacket(packet, header) ||
      !this.#isExpected(header.payloadType) ||
      !this.#latch.accepts(address, port, nowMs)
    ) {
      this.counts.ignored++
      return
    }
    this.counts.received++
    this.#state.lastPacketMs = nowMs
    if (header.payloadType === this.#state.eventType) this.#onEvent(packet, nowMs)
    else this.#onAudio(packet, nowMs)
  }

  #isExpected(payloadType: number): boolean {
    return (
      payloadType === this.#state.eventType ||
      payloadType === COMFORT_NOISE ||
      codecOfPayloadType(payloadType) !== undefined
    )
  }

  /** Some phones send keys from a source of their own (RFC 3550 §5.2); the audio's goes on beside it. */
  #onEvent(packet: Uint8Array, nowMs: number): void {
    const { ssrc, sequence, timestamp, payloadStart, payloadEnd } = this.#scratch.header
    if (ssrc !== this.#eventSsrc) this.digits.restart()
    this.#eventSsrc = ssrc
    if (this.reception.ssrc === undefined || ssrc === this.reception.ssrc)
      this.reception.onPacket(ssrc, sequence, timestamp, nowMs)
    if (!this.#state.isListening) return
    if (readTelephoneEvent(packet, payloadStart, payloadEnd, this.#scratch.event))
      this.digits.onPacket(this.#scratch.event, timestamp, sequence, nowMs)
  }

  #onAudio(packet: Uint8Array, nowMs: number): void {
    const { ssrc, sequence, timestamp, payloadType, payloadStart, payloadEnd, isMarked } =
      this.#scratch.header
    if (ssrc !== this.reception.ssrc) this.#jitter.reset()
    this.reception.onPacket(ssrc, sequence, timestamp, nowMs)
    const codec = codecOfPayloadType(payloadType)
    if (codec === undefined || !this.#state.isListening) return
    this.#jitter.put(codec, packet, payloadStart, payloadEnd, timestamp, isMarked)
    if (this.#state.isMuted) return
    for (const arrival of this.arrivals)
      arrival.onAudio(codec, packet, payloadStart, payloadEnd, timestamp)
  }
}
