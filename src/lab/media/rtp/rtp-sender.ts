/**
 * Sends RTP from buffers that are made once. A tick gives it one frame; a packet is as long as the peer
 * wants it (ptime), so that a tick sends one packet, several, or none.
 */
import { randomInt } from 'node:crypto'
import type { Socket } from 'node:dgram'
import { isIP } from 'node:net'
import { AudioEncoder } from '../codecs/audio-codec.js'
import { RTP_HEADER_BYTES, writeRtpHeader } from '../codecs/rtp-packet.js'
import {
  EVENT_PAYLOAD_BYTES,
  type TelephoneEvent,
  writeTelephoneEvent,
} from '../codecs/telephone-event.js'
import { FRAME_MS, FRAME_SAMPLES, SAMPLES_PER_MS } from '../dsp/frame.js'
import type { RemoteMedia } from '../model/remote-media.js'
import type { SrtpContexts } from '../srtp/srtp-contexts.js'
import type { Latch } from './latch.js'

const SILENCE = new Int16Array(FRAME_SAMPLES)
const EVENT_BYTES = RTP_HEADER_BYTES + EVENT_PAYLOAD_BYTES
/**
 * The number of buffers. A packet that the kernel cannot take at once keeps its buffer until it
 * can; the next packet uses another.
 */
const BUFFERS = 4
/** Maximum number of bytes that SRTP needs behind a packet. */
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
  /** Number of samples per packet, equal to its payload bytes. */
  #packetSamples = FRAME_SAMPLES
  #audio = makeBuffers(RTP_HEADER_BYTES + FRAME_SAMPLES, 0)
  #events = makeBuffers(EVENT_BYTES, 0)
  #tagBytes = 0
  #sequence = randomInt(INITIAL_SEQUENCES)
  #timestamp = randomInt(0x1_0000_0000)
  /** The timestamp of all packets of the current key (RFC 4733 §2.2.1). */
  #eventTimestamp = 0
  /** True when the next packet is the first one of a talkspurt (RFC 3551 §4.1). */
  #isTalkStart = true
  readonly #encoder = new AudioEncoder()
  /** Encoded samples that do not fill a packet yet. */
  #coded = Buffer.alloc(2 * FRAME_SAMPLES)
  #codedBytes = 0
  #isSending = false

  constructor(socket: Socket, latch: Latch, srtp: SrtpContexts) {
    this.#socket = socket
    this.#latch = latch
    this.#srtp = srtp
  }

  /** The timestamp of the next packet. */
  get timestamp(): number {
    return this.#timestamp
  }

  setRemote(remote: RemoteMedia): void {
    this.#encoder.setCodec(remote.codec)
    this.#isSending = remote.direction === 'sendrecv' || remote.direction === 'sendonly'
    const { tagBytes } = this.#srtp
    const packetSamples = (remote.ptimeMs ?? FRAME_MS) * SAMPLES_PER_MS
    if (tagBytes === this.#tagBytes && packetSamples === this.#packetSamples) return
    this.#tagBytes = tagBytes
    this.#packetSamples = packetSamples
    this.#audio = makeBuffers(RTP_HEADER_BYTES + packetSamples, tagBytes)
    this.#coded = Buffer.alloc(packetSamples + FRAME_SAMPLES)
    this.#codedBytes = 0
    this.#events = makeBuffers(EVENT_BYTES, tagBytes)
  }

  /** Sends one frame; undefined stands for silence. */
  sendAudio(samples: Int16Array = SILENCE): void {
    if (!this.#canSend()) {
      this.skip()
      return
    }
    this.#encoder.encode(samples, this.#coded, this.#codedBytes, FRAME_SAMPLES)
    const end = this.#codedBytes + FRAME_SAMPLES
    let start = 0
    for (; end - start >= this.#packetSamples; start += this.#packetSamples)
      this.#sendCoded(start, start + this.#packetSamples)
    this.#coded.copyWithin(0, start, end)
    this.#codedBytes = end - start
  }

  /** Sends a packet of a key in place of a frame; `isStart` marks its first one. */
  sendEvent(payloadType: number, event: TelephoneEvent, isStart: boolean): void {
    this.#sendRest()
    if (isStart) this.#eventTimestamp = this.#timestamp
    const packet = this.#events[this.#sequence % BUFFERS]
    if (packet === undefined || !this.#canSend()) {
      this.skip()
      return
    }
    this.#writeHeader(packet.whole, payloadType, isStart, this.#eventTimestamp)
    writeTelephoneEvent(packet.whole, RTP_HEADER_BYTES, event, EVENT_VOLUME)
    this.#send(packet, EVENT_BYTES)
    this.#advance(FRAME_SAMPLES)
  }

  /** Advances the timestamp by a frame without sending; the next packet starts a talkspurt. */
  skip(): void {
    this.#sendRest()
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

  /** Sends the samples of an incomplete packet before a pause. */
  #sendRest(): void {
    if (this.#codedBytes > 0 && this.#canSend()) this.#sendCoded(0, this.#codedBytes)
    this.#codedBytes = 0
  }

  #sendCoded(start: number, end: number): void {
    const packet = this.#audio[this.#sequence % BUFFERS]
    if (packet === undefined) return
    this.#writeHeader(packet.whole, this.#encoder.payloadType, this.#isTalkStart, this.#timestamp)
    this.#coded.copy(packet.whole, RTP_HEADER_BYTES, start, end)
    this.#isTalkStart = false
    const size = RTP_HEADER_BYTES + end - start
    const isWhole = end - start === this.#packetSamples
    this.#send(isWhole ? packet : cutTo(packet, size + this.#tagBytes), size)
    this.#advance(end - start)
  }

  #advance(samples: number): void {
    this.#sequence = (this.#sequence + 1) & 0xffff
    this.#timestamp = (this.#timestamp + samples) >>> 0
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

function cutTo({ whole }: PacketBuffer, bytes: number): PacketBuffer {
  return { whole, sent: whole.subarray(0, bytes) }
}

function makeBuffers(size: number, tagBytes: number): readonly PacketBuffer[] {
  return Array.from({ length: BUFFERS }, () => {
    const whole = Buffer.alloc(size + SRTP_BYTES)
    return { whole, sent: whole.subarray(0, size + tagBytes) }
  })
}
