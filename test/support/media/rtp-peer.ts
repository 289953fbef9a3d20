import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { RATE, toneShare } from '../sound/tone.js'
import { waitUntil } from '../time/wait-until.js'
import { decodeSample, encodingTable, type Law } from './rtp-g711.js'
import { KEYS, type RtpPacket, readRtp, writeKey, writeRtp } from './rtp-packets.js'

const FRAME = 160
const AMPLITUDE = 8000

export interface RtpPeerOptions {
  readonly codec?: Law
  /** The payload type of telephone-event; 101 by default. */
  readonly dtmfPayloadType?: number
  readonly host?: string
  /** The network's treatment of the peer's packets; the seed makes it repeatable. */
  readonly network?: {
    readonly seed: number
    readonly lossShare?: number
    /** The longest delay of a packet; each is delayed by 0 to this. */
    readonly jitterMs?: number
    /** The share of packets that are sent behind the next one. */
    readonly reorderShare?: number
  }
}

/** A party with its own RTP socket on loopback: says a tone, presses keys, and keeps what it hears. */
export interface RtpPeer extends AsyncDisposable {
  readonly host: string
  readonly port: number
  readonly codec: Law
  readonly ssrc: number
  /** The timestamp of the next packet: counts samples, modulo 2^32. */
  readonly clock: number
  /** The packets received since `forget`, in the order of arrival. */
  readonly packets: readonly RtpPacket[]
  /** The audio received since `forget`, placed by timestamps: gaps are silent. */
  heard(): Int16Array
  /** The keys received as telephone events since `forget`, each once. */
  digits(): string
  forget(): void
  /** Sets the destination; sending begins with the next `say`. */
  connect(port: number, host?: string): void
  /** Sends a tone of this frequency; 0 sends silence, undefined sends nothing. */
  say(hz: number | undefined): void
  /** Presses keys one after the other; resolves when the last packet has been sent. */
  press(digits: string, durationMs?: number): Promise<void>
  /** Sends these bytes as they are. */
  send(bytes: Buffer): void
  /** Changes the synchronisation source and the time base. */
  changeSsrc(): void
  /** Resolves when the last 100 ms heard are this tone (more than 80 % of their energy). */
  waitForTone(hz: number): Promise<void>
  /** Resolves when the last 60 ms heard are silent. */
  waitForSilence(): Promise<void>
  waitForDigits(digits: string): Promise<void>
}

export async function openRtpPeer(options: RtpPeerOptions = {}): Promise<RtpPeer> {
  const host = options.host ?? '127.0.0.1'
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  socket.bind(0, host)
  await once(socket, 'listening')
  const peer = new Peer(socket, host, options)
  return peer
}

type UdpSocket = ReturnType<typeof createSocket>

interface Press {
  readonly digit: string
  readonly frames: number
  startTimestamp: number
  frame: number
  readonly done: () => void
}

class Peer implements RtpPeer {
  readonly host: string
  readonly port: number
  readonly codec: Law
  readonly #socket: UdpSocket
  readonly #dtmfPayloadType: number
  readonly #encode: Uint8Array
  readonly #network: Network
  readonly #presses: Press[] = []
  #packets: RtpPacket[] = []
  #target: { port: number; host: string } | undefined
  #hz: number | undefined
  #phase = 0
  #sequence = 65_500
  #timestamp = 4_294_960_000
  #ssrc = 0x1234_5678
  #isTalkStart = true
  #timer: NodeJS.Timeout
  #dueMs = performance.now() + 20

  constructor(socket: UdpSocket, host: string, options: RtpPeerOptions) {
    this.#socket = socket
    this.host = host
    this.port = socket.address().port
    this.codec = options.codec ?? 'PCMU'
    this.#dtmfPayloadType = options.dtmfPayloadType ?? 101
    this.#network = new Network(options.network)
    const law = this.codec
    this.#encode = encodingTable(law)
    socket.on('message', (bytes) => {
      const packet = readRtp(bytes)
      if (packet !== undefined) this.#packets.push(packet)
    })
    socket.on('error', () => undefined) // The peer of the socket has gone.
    this.#timer = setTimeout(this.#tick, 20)
  }

  get packets(): readonly RtpPacket[] {
    return this.#packets
  }

  get clock(): number {
    return this.#timestamp
  }

  get ssrc(): number {
    return this.#ssrc
  }

  heard(): Int16Array {
    const audio = this.#packets.filter((one) => one.payloadType === this.#payloadType)
    const first = audio[0]
    if (first === undefined) return new Int16Array(0)
    const at = (one: RtpPacket) => (one.timestamp - first.timestamp) | 0
    const end = Math.max(...audio.map((one) => at(one) + one.payload.length))
    const samples = new Int16Array(Math.max(0, end))
    for (const one of audio)
      one.payload.forEach((code, i) => (samples[at(one) + i] = decodeSample(this.codec, code)))
    return samples
  }

  digits(): string {
    const seen = new Map<number, string>()
    for (const one of this.#packets)
      if (one.payloadType === this.#dtmfPayloadType && one.payload.length >= 4)
        seen.set(one.timestamp, KEYS[one.payload[0] ?? 99] ?? '?')
    return [...seen.values()].join('')
  }

  forget(): void {
    this.#packets = []
  }

  connect(port: number, host = this.host): void {
    this.#target = { port, host }
  }

  say(hz: number | undefined): void {
    this.#hz = hz
  }

  async press(digits: string, durationMs = 100): Promise<void> {
    for (const digit of digits) {
      await new Promise<void>((done) => {
        const frames = Math.round(durationMs / 20)
        this.#presses.push({ digit, frames, startTimestamp: 0, frame: 0, done })
      })
    }
  }

  send(bytes: Buffer): void {
    if (this.#target === undefined) throw new Error('connect the peer first')
    this.#socket.send(bytes, this.#target.port, this.#target.host)
  }

  changeSsrc(): void {
    this.#ssrc = (this.#ssrc + 0x0101_0101) >>> 0
    this.#timestamp = (this.#timestamp + 1_000_000_007) >>> 0
    this.#sequence = (this.#sequence + 12_345) & 0xffff
    this.#isTalkStart = true
  }

  waitForTone(hz: number): Promise<void> {
    return waitUntil(`a tone of ${hz} Hz at port ${this.port}`, () => {
      const last = this.heard().slice(-RATE / 10)
      return last.length === RATE / 10 && toneShare(last, hz) > 0.8
    })
  }

  waitForSilence(): Promise<void> {
    return waitUntil(`silence at port ${this.port}`, () => {
      const last = this.heard().slice(-0.06 * RATE)
      return last.length > 0 && last.every((sample) => Math.abs(sample) < 64)
    })
  }

  waitForDigits(digits: string): Promise<void> {
    return waitUntil(`digits ${digits}`, () => this.digits() === digits)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer)
    this.#network.close()
    const closed = once(this.#socket, 'close')
    this.#socket.close()
    await closed
  }

  get #payloadType(): number {
    return this.codec === 'PCMU' ? 0 : 8
  }

  readonly #tick = (): void => {
    this.#dueMs += 20
    this.#timer = setTimeout(this.#tick, Math.max(0, this.#dueMs - performance.now()))
    const press = this.#presses[0]
    if (press !== undefined) this.#sendKey(press)
    else if (this.#hz !== undefined) this.#sendAudio(this.#hz)
    else this.#isTalkStart = true
    this.#timestamp = (this.#timestamp + FRAME) >>> 0
  }

  #sendAudio(hz: number): void {
    const payload = Buffer.alloc(FRAME)
    for (let i = 0; i < FRAME; i++) {
      const angle = (2 * Math.PI * hz * (this.#phase + i)) / RATE
      payload[i] = this.#encode[Math.round(AMPLITUDE * Math.sin(angle)) & 0xffff] ?? 0
    }
    this.#phase = (this.#phase + FRAME) % RATE
    this.#sendPacket(this.#payloadType, this.#timestamp, this.#isTalkStart, payload)
    this.#isTalkStart = false
  }

  /** Sends one packet a frame, the last three with the end bit, then pauses for two frames. */
  #sendKey(press: Press): void {
    if (press.frame === 0) press.startTimestamp = this.#timestamp
    const frame = ++press.frame
    if (frame <= press.frames + 2) {
      const samples = Math.min(frame, press.frames) * FRAME
      const payload = writeKey(press.digit, samples, frame >= press.frames)
      this.#sendPacket(this.#dtmfPayloadType, press.startTimestamp, frame === 1, payload)
    } else if (frame >= press.frames + 4) {
      this.#presses.shift()
      press.done()
    }
  }

  #sendPacket(payloadType: number, timestamp: number, isMarked: boolean, payload: Buffer): void {
    const [sequence, ssrc] = [this.#sequence, this.#ssrc]
    const bytes = writeRtp({ payloadType, isMarked, sequence, timestamp, ssrc, payload })
    this.#sequence = (this.#sequence + 1) & 0xffff
    if (this.#target === undefined) return
    const { port, host } = this.#target
    this.#network.carry(() => {
      this.#socket.send(bytes, port, host)
    })
  }
}

/** A network that loses, delays and reorders packets, the same way for the same seed. */
class Network {
  readonly #random: () => number
  readonly #options: NonNullable<RtpPeerOptions['network']>
  readonly #timers = new Set<NodeJS.Timeout>()
  #isClosed = false

  constructor(options: RtpPeerOptions['network'] = { seed: 1 }) {
    this.#options = options
    this.#random = seeded(options.seed)
  }

  carry(deliver: () => void): void {
    const { lossShare = 0, jitterMs = 0, reorderShare = 0 } = this.#options
    if (this.#random() < lossShare) return
    const heldMs = this.#random() * jitterMs + (this.#random() < reorderShare ? 25 : 0)
    if (heldMs < 1) {
      deliver()
      return
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      if (!this.#isClosed) deliver()
    }, heldMs)
    this.#timers.add(timer)
  }

  close(): void {
    this.#isClosed = true
    for (const timer of this.#timers) clearTimeout(timer)
  }
}

/** A source of numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
