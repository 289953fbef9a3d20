/** Sends RTP: one packet a tick, from buffers that are made once. */
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
import type { SrtpContexts } from '../srtp/srtp-contexts.js'
import type { Latch } from './latch.js'

const AUDIO_BYTES = RTP_HEADER_BYTES + FRAME_SAMPLES
const EVENT_BYTES = RTP_HEADER_BYTES + EVENT_PAYLOAD_BYTES
/**
 * The number of buffers. A packet that the kernel cannot take at once keeps its buffer until it
 * can; the next packet uses another.
 */
const BUFFERS = 4
/** The most that SRTP needs behind a packet: its tag, or what it authenticates beside the packet. */
const SRTP_BYTES = 10
/** Initial sequence numbers stay low, so that a loss cannot hide a roll-over (RFC 3711 §3.3.1). */
const INITIAL_SEQUENCES = 0x8000
/** The volume of a key: −10 dBm0, as FreeSWITCH and most phones send keys. */
const EVENT_VOLUME = 10

/** A packet's memory: the plain packet is written to its beginning, and `sent` is what goes out. */
interface PacketBuffer {
  readonly whole: Buffer
  readonly sent: Buffer
}

export class RtpSender {
  readonly ssrc = randomInt(1, 0xffff_ffff)
  readonly counts = { packets: 0, bytes: 0 }
  readonly #socket: Socket
  readonly #latch: Latch
  readonly #srtp: SrtpContexts
  #audio = makeBuffers(AUDIO_BYTES, 0)
  #events = makeBuffers(EVENT_BYTES, 0)
  #tagBytes = 0
  #sequence = randomInt(INITIAL_SEQUENCES)
  #timestamp = randomInt(0x1_0000_0000)
  /** The timestamp that all packets of the present key bear (RFC 4733 §2.2.1). */
  #eventTimestamp = 0
  /** True when the next packet is the first one of a talkspurt (RFC 3551 §4.1). */
  #isTalkStart = true
  #codec = PCMU
  #isSending = false

  constructor(socket: Socket, latch: Latch, srtp: SrtpContexts) {
    this.#socket = socket
    this.#latch = latch
    this.#srtp = srtp
  }

  /** The timestamp of the next frame to be sent. */
  get timestamp(): number {
    return this.#timestamp
  }

  setRemote(remote: RemoteMedia): void {
    this.#codec = codecNamed(remote.codec)
    this.#isSending = remote.direction === 'sendrecv' || remote.direction === 'sendonly'
    const { tagBytes } = this.#srtp
    if (tagBytes === this.#tagBytes) return
    this.#tagBytes = tagBytes
    this.#audio = makeBuffers(AUDIO_BYTES, tagBytes)
    this.#events = makeBuffers(EVENT_BYTES, tagBytes)
  }

  /** Sends one frame; undefined stands for silence. */
  sendAudio(samples: Int16Array | undefined): void {
    const packet = this.#audio[this.#sequence % BUFFERS]
    if (packet === undefined || !this.#canSend()) {
      this.skip()
      return
    }
    const { payloadType, silence } = this.#codec
    const { whole } = packet
    this.#writeHeader(whole, payloadType, this.#isTalkStart, this.#timestamp)
    if (samples === undefined) whole.fill(silence, RTP_HEADER_BYTES, AUDIO_BYTES)
    else encode(this.#codec, samples, whole, RTP_HEADER_BYTES, FRAME_SAMPLES)
    this.#isTalkStart = false
    this.#send(packet, AUDIO_BYTES)
    this.#advance()
  }

  /** Sends a packet of a key in place of a frame; `isStart` marks its first one. */
  sendEvent(payloadType: number, event: TelephoneEvent, isStart: boolean): void {
    if (isStart) this.#eventTimestamp = this.#timestamp
    const packet = this.#events[this.#sequence % BUFFERS]
    if (packet === undefined || !this.#canSend()) {
      this.skip()
      return
    }
    this.#writeHeader(packet.whole, payloadType, isStart, this.#eventTimestamp)
    writeTelephoneEvent(packet.whole, RTP_HEADER_BYTES, event, EVENT_VOLUME)
    this.#send(packet, EVENT_BYTES)
    this.#advance()
  }

  /** Lets a frame's time pass unsent; what follows is a new talkspurt. */
  skip(): void {
    this.#timestamp = (this.#timestamp + FRAME_SAMPLES) >>> 0
    this.#isTalkStart = true
  }

  #canSend(): boolean {
    if (!this.#isSending || this.#latch.port === 0) return false
    return this.#latch.isLatched || isDestination(this.#latch.address)
  }

  #writeHeader(packet: Buffer, payloadType: number, isMarked: boolean, timestamp: number): void {
    writeRtpHeader(packet, payloadType, isMarked, this.#sequence, timestamp, this.ssrc)
  }

  #advance(): void {
    this.#sequence = (this.#sequence + 1) & 0xffff
    this.#timestamp = (this.#timestamp + FRAME_SAMPLES) >>> 0
  }

  #send({ whole, sent }: PacketBuffer, size: number): void {
    this.counts.packets++
    this.counts.bytes += size - RTP_HEADER_BYTES
    this.#srtp.protect('rtp', whole, size)
    this.#socket.send(sent, this.#latch.port, this.#latch.address)
  }
}

/**
 * True when packets can be sent to the address. A name is not resolved, and 0.0.0.0 is a hold (RFC
 * 3264 §8.4): the peer's first packet tells.
 */
export function isDestination(address: string): boolean {
  return isIP(address) !== 0 && address !== '0.0.0.0' && address !== '::'
}

function makeBuffers(size: number, tagBytes: number): readonly PacketBuffer[] {
  return Array.from({ length: BUFFERS }, () => {
    const whole = Buffer.alloc(size + SRTP_BYTES)
    return { whole, sent: whole.subarray(0, size + tagBytes) }
  })
}
