/** What goes out on the RTP port: one packet a tick, from buffers that are made once. */
import { randomInt } from 'node:crypto'
import type { Socket } from 'node:dgram'
import { isIP } from 'node:net'
import { codecNamed, encode, PCMU } from '../codecs/g711.js'
import { RTP_HEADER_BYTES, writeRtpHeader } from '../codecs/rtp-packet.js'
import {
  EVENT_PAYLOAD_BYTES,
  type TelephoneEvent,
  writeTelephoneEvent,
} from '../codecs/telephone-event.js'
import { FRAME_SAMPLES } from '../dsp/frame.js'
import type { RemoteMedia } from '../model/remote-media.js'
import type { Latch } from './latch.js'

/** A packet that the kernel cannot take at once keeps its buffer until it can; we go on with the next. */
const BUFFERS = 4
/** −10 dBm0, as FreeSWITCH and most phones send keys. */
const EVENT_VOLUME = 10

export class RtpSender {
  readonly ssrc = randomInt(1, 0xffff_ffff)
  readonly counts = { packets: 0, bytes: 0 }
  readonly #socket: Socket
  readonly #latch: Latch
  readonly #audio = makeBuffers(RTP_HEADER_BYTES + FRAME_SAMPLES)
  readonly #events = makeBuffers(RTP_HEADER_BYTES + EVENT_PAYLOAD_BYTES)
  readonly #state = {
    sequence: randomInt(0x1_0000),
    timestamp: randomInt(0x1_0000_0000),
    /** Of the key that is being sent: all its packets bear it (RFC 4733 §2.2.1). */
    eventTimestamp: 0,
    isTalkStart: true,
    codec: PCMU,
    isSending: false,
  }

  constructor(socket: Socket, latch: Latch) {
    this.#socket = socket
    this.#latch = latch
  }

  /** Timestamp of the frame that is next to be sent. */
  get timestamp(): number {
    return this.#state.timestamp
  }

  setRemote(remote: RemoteMedia): void {
    const state = this.#state
    state.codec = codecNamed(remote.codec)
    state.isSending = remote.direction === 'sendrecv' || remote.direction === 'sendonly'
  }

  /** Sends one frame; undefined stands for silence. */
  sendAudio(samples: Int16Array | undefined): void {
    const { codec, isTalkStart, sequence, timestamp } = this.#state
    if (!this.#canSend()) {
      this.skip()
      return
    }
    const packet = this.#audio[sequence % BUFFERS]
    if (packet === undefined) return
    writeRtpHeader(packet, codec.payloadType, isTalkStart, sequence, timestamp, this.ssrc)
    if (samples === undefined) packet.fill(codec.silence, RTP_HEADER_BYTES)
    else encode(codec, samples, packet, RTP_HEADER_BYTES, FRAME_SAMPLES)
    this.#state.isTalkStart = false
    this.#send(packet)
    this.#advance()
  }

  /** Sends a packet of a key in place of a frame; `isStart` marks its first one. */
  sendEvent(payloadType: number, event: TelephoneEvent, isStart: boolean): void {
    const state = this.#state
    if (isStart) state.eventTimestamp = state.timestamp
    const packet = this.#events[state.sequence % BUFFERS]
    if (packet === undefined || !this.#canSend()) {
      this.skip()
      return
    }
    writeRtpHeader(packet, payloadType, isStart, state.sequence, state.eventTimestamp, this.ssrc)
    writeTelephoneEvent(packet, RTP_HEADER_BYTES, event, EVENT_VOLUME)
    this.#send(packet)
    this.#advance()
  }

  /** Lets a frame's time pass unsent; what follows is a new talkspurt. */
  skip(): void {
    this.#state.timestamp = (this.#state.timestamp + FRAME_SAMPLES) >>> 0
    this.#state.isTalkStart = true
  }

  #canSend(): boolean {
    if (!this.#state.isSending || this.#latch.port === 0) return false
    return this.#latch.isLatched || isDestination(this.#latch.address)
  }

  #advance(): void {
    this.#state.sequence = (this.#state.sequence + 1) & 0xffff
    this.#state.timestamp = (this.#state.timestamp + FRAME_SAMPLES) >>> 0
  }

  #send(packet: Buffer): void {
    this.counts.packets++
    this.counts.bytes += packet.length - RTP_HEADER_BYTES
    this.#socket.send(packet, this.#latch.port, this.#latch.address)
  }
}

/** A name is not resolved, and 0.0.0.0 is a hold (RFC 3264 §8.4): the peer's first packet tells. */
export function isDestination(address: string): boolean {
  return isIP(address) !== 0 && address !== '0.0.0.0' && address !== '::'
}

function makeBuffers(bytes: number): readonly Buffer[] {
  return Array.from({ length: BUFFERS }, () => Buffer.alloc(bytes))
}
