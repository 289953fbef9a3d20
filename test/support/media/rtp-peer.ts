import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { RATE, toneShare } from '../sound/tone.js'
import { waitUntil } from '../time/wait-until.js'
import { BadNetwork, type BadNetworkOptions } from './bad-network.js'
import { PAYLOAD_TYPES, RtpEar } from './rtp-ear.js'
import type { Law } from './rtp-g711.js'
import { type RtpPacket, readRtp, writeKey, writeRtp } from './rtp-packets.js'
import { FRAME, RtpVoice } from './rtp-voice.js'
import { SecureRtp, type TestSuite } from './secure-rtp.js'

const FRAME_MS = 20
/** Number of frames between two keys. */
const PAUSE_FRAMES = 2

export interface RtpPeerOptions {
  readonly codec?: Law
  /** Payload type of telephone events; default 101. */
  readonly dtmfPayloadType?: number
  /** Loopback address of its socket; default 127.0.0.1. */
  readonly host?: string
  /** Impairments of the sent packets; the seed makes them repeatable. */
  readonly network?: BadNetworkOptions
}

/** SRTP keys as in `a=crypto`. */
export interface PeerKeys {
  readonly suite: TestSuite
  /** Key of the packets that the peer sends. */
  readonly sendKey: string
  readonly receiveKey: string
}

export interface KeyOptions {
  readonly durationMs?: number
  /** Number of lost packets with the end bit, out of three. */
  readonly lostEnds?: 0 | 1 | 2
}

interface Press {
  readonly key: string
  readonly frames: number
  readonly lostEnds: number
  readonly done: () => void
  startTimestamp: number
  frame: number
}

/**
 * A party with its own RTP socket on loopback: sends tones, samples and keys, and records received audio. It
 * sends nothing before `speak` or `say`.
 */
export class RtpPeer implements AsyncDisposable {
  codec: Law
  dtmfPayloadType: number
  /** Destination of its packets; nothing is sent without one. */
  remote: { readonly address: string; readonly port: number } | undefined
  readonly host: string
  readonly #socket: Socket
  /** The network that carries the packets of this peer. */
  network: BadNetwork
  readonly #ear = new RtpEar()
  readonly #voice = new RtpVoice()
  readonly #presses: Press[] = []
  #keys: PeerKeys | undefined
  #srtp: { readonly out: SecureRtp; readonly in: SecureRtp } | undefined
  /** Number of received packets that were not encrypted with the agreed key. */
  unreadable = 0
  /** The last sent packet, as on the wire. */
  lastSent: Buffer | undefined
  #sequence = 65_500
  #timestamp = 4_294_960_000
  #ssrc = 0x1234_5678
  #isTalkStart = true
  #dueMs = performance.now() + FRAME_MS
  #timer: NodeJS.Timeout

  static async open(options: RtpPeerOptions = {}): Promise<RtpPeer> {
    const { host = '127.0.0.1' } = options
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
    socket.bind(0, host)
    await once(socket, 'listening')
    return new RtpPeer(socket, host, options)
  }

  private constructor(socket: Socket, host: string, options: RtpPeerOptions) {
    this.#socket = socket
    this.host = host
    this.codec = options.codec ?? 'PCMU'
    this.dtmfPayloadType = options.dtmfPayloadType ?? 101
    this.network = new BadNetwork(options.network)
    socket.on('message', (bytes) => {
      const plain = this.#srtp === undefined ? bytes : this.#srtp.in.unprotect(bytes)
      if (plain === undefined) this.unreadable++
      const packet = plain && readRtp(plain)
      if (packet !== undefined) this.#ear.take(packet, this.dtmfPayloadType)
    })
    socket.on('error', () => undefined) // the socket's peer has gone
    this.#timer = setTimeout(this.#tick, FRAME_MS)
  }

  get port(): number {
    return this.#socket.address().port
  }

  get ssrc(): number {
    return this.#ssrc
  }

  /** Timestamp of the next packet: counts samples, modulo 2^32. */
  get clock(): number {
    return this.#timestamp
  }

  /** Sequence number of the next packet. It starts shortly before its wraparound at 65,535. */
  get sequence(): number {
    return this.#sequence
  }

  /** Packets received since `forget`, in order of arrival. */
  get packets(): readonly RtpPacket[] {
    return this.#ear.packets
  }

  /** Keys received as telephone events since `forget`, each once, at its release. */
  get digits(): readonly string[] {
    return this.#ear.digits
  }

  /** Keys received as audio tones since `forget`, each once. */
  get tonedKeys(): string {
    return this.#ear.tonedKeys(this.codec)
  }

  get lastPayloadType(): number | undefined {
    return this.#ear.lastPayloadType
  }

  /** Longest gap in the audio since `forget` by the sender's clock, ms. */
  get longestGapMs(): number {
    return this.#ear.longestGapMs
  }

  /** Audio of its codec since `forget`, positioned by timestamps, with silence in gaps. */
  heard(): Int16Array {
    return this.#ear.placed(this.codec)
  }

  /** The last 200 ms of received audio, in order of arrival. */
  heardLately(): Int16Array {
    return this.#ear.lately()
  }

  /** True when the last 200 ms contain this tone. */
  hears(hz: number): boolean {
    return this.#ear.hears(hz)
  }

  /** True when the last 200 ms contain both tones of North American ringing, 440 and 480 Hz. */
  hearsRinging(): boolean {
    return this.#ear.hearsRinging()
  }

  /** True when the last 100 ms are silent or no packets arrive. */
  isQuiet(): boolean {
    return this.#ear.isQuiet()
  }

  /** Enables SRTP. Repeating the same keys changes nothing. */
  secure(keys: PeerKeys): void {
    if (JSON.stringify(keys) === JSON.stringify(this.#keys)) return
    this.#keys = keys
    const { suite, sendKey, receiveKey } = keys
    this.#srtp = { out: new SecureRtp(sendKey, suite), in: new SecureRtp(receiveKey, suite) }
  }

  /** Discards everything received so far. */
  forget(): void {
    this.#ear.forget()
  }

  connect(port: number, address = this.host): void {
    this.remote = { address, port }
  }

  /** Amplitude of all tones together. */
  set loudness(amplitude: number) {
    this.#voice.loudness = amplitude
  }

  /** Share of packets of `say` that are lost, identically each time. */
  set lossShare(share: number) {
    this.#voice.lossShare = share
  }

  /** Sends one or several tones until changed; 0 is silence. */
  speak(...frequencies: readonly number[]): void {
    this.#voice.speak(frequencies)
  }

  /** Stops sending audio, silence included. */
  mute(): void {
    this.#voice.speak(undefined)
  }

  /** Sends these 16-bit samples once, then resumes the tones of `speak`. */
  say(samples: Int16Array): void {
    this.#voice.say(samples)
  }

  /** True until all samples of `say` are sent. */
  get isSaying(): boolean {
    return this.#voice.isSaying
  }

  /** Presses keys in sequence as telephone events; resolves after the last packet. */
  async sendDigits(keys: string, options: KeyOptions = {}): Promise<void> {
    for (const key of keys) await this.sendDigit(key, options)
  }

  /** Presses a key as a telephone event (RFC 4733); audio continues meanwhile. */
  sendDigit(key: string, { durationMs = 100, lostEnds = 0 }: KeyOptions = {}): Promise<void> {
    return new Promise((done) => {
      const frames = Math.round(durationMs / FRAME_MS)
      this.#presses.push({ key, frames, lostEnds, done, startTimestamp: 0, frame: 0 })
    })
  }

  /** Presses a key in-band: two tones for 100 ms, then 100 ms of silence. */
  async pressInBand(key: string): Promise<void> {
    const row = ['123A', '456B', '789C', '*0#D'].findIndex((keys) => keys.includes(key))
    const column = ['147*', '2580', '369#', 'ABCD'].findIndex((keys) => keys.includes(key))
    this.speak([697, 770, 852, 941][row] ?? 0, [1209, 1336, 1477, 1633][column] ?? 0)
    await this.#spoken(100)
    this.speak(0)
    await this.#spoken(100)
  }

  /** Sends raw bytes. */
  send(bytes: Buffer): void {
    if (this.remote === undefined) throw new Error('connect the peer first')
    this.#socket.send(bytes, this.remote.port, this.remote.address)
  }

  /** Changes the SSRC and the time base. */
  changeSsrc(): void {
    this.#ssrc = (this.#ssrc + 0x0101_0101) >>> 0
    this.#timestamp = (this.#timestamp + 1_000_000_007) >>> 0
    this.#sequence = (this.#sequence + 12_345) & 0xffff
    this.#isTalkStart = true
  }

  /** Resolves when the last 100 ms received are this tone (more than 80 % of their energy). */
  waitForTone(hz: number): Promise<void> {
    return waitUntil(`a tone of ${hz} Hz at port ${this.port}`, () => {
      const last = this.heard().slice(-RATE / 10)
      return last.length === RATE / 10 && toneShare(last, hz) > 0.8
    })
  }

  /** Resolves when the last 60 ms received are silent. */
  waitForSilence(): Promise<void> {
    return waitUntil(`silence at port ${this.port}`, () => {
      const last = this.heard().slice(-0.06 * RATE)
      return last.length > 0 && last.every((sample) => Math.abs(sample) < 64)
    })
  }

  waitForDigits(digits: string): Promise<void> {
    const isHeard = () => this.digits.join('') === digits
    return waitUntil(`digits ${digits}`, isHeard, undefined, () => this.digits)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#socket.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#socket, 'close')
    this.close()
    await closed
  }

  /** Waits until this duration has been sent, so that a busy machine does not shorten keys. */
  #spoken(ms: number): Promise<void> {
    const start = this.clock
    return waitUntil(`${ms} ms are sent`, () => (this.clock - start) >>> 0 >= ms * 8)
  }

  readonly #tick = (): void => {
    // Timers fire late on a busy machine; this must not cause a gap at the far end.
    this.#dueMs += FRAME_MS
    this.#timer = setTimeout(this.#tick, Math.max(0, this.#dueMs - performance.now()))
    const press = this.#presses[0]
    if (press !== undefined) this.#sendKey(press)
    this.#sendAudio()
    this.#timestamp = (this.#timestamp + FRAME) >>> 0
    this.network.pass(FRAME_MS)
  }

  #sendAudio(): void {
    const payload = this.#voice.frame(this.codec)
    if (payload === undefined) {
      this.#isTalkStart = true
      return
    }
    if (payload === 'lost') this.#sequence = (this.#sequence + 1) & 0xffff
    else this.#sendPacket(PAYLOAD_TYPES[this.codec], this.#timestamp, this.#isTalkStart, payload)
    this.#isTalkStart = false
  }

  /** Sends one packet per frame, the last three with the end bit, then pauses. */
  #sendKey(press: Press): void {
    if (press.frame === 0) press.startTimestamp = this.#timestamp
    const frame = ++press.frame
    const last = press.frames + 2
    if (frame <= last - press.lostEnds) {
      const samples = Math.min(frame, press.frames) * FRAME
      const payload = writeKey(press.key, samples, frame >= press.frames)
      this.#sendPacket(this.dtmfPayloadType, press.startTimestamp, frame === 1, payload)
    } else if (frame >= last + PAUSE_FRAMES) {
      this.#presses.shift()
      press.done()
    }
  }

  #sendPacket(payloadType: number, timestamp: number, isMarked: boolean, payload: Buffer): void {
    const [sequence, ssrc] = [this.#sequence, this.#ssrc]
    const plain = writeRtp({ payloadType, isMarked, sequence, timestamp, ssrc, payload })
    this.#sequence = (this.#sequence + 1) & 0xffff
    if (this.remote === undefined) return
    const bytes = this.#srtp === undefined ? plain : this.#srtp.out.protect(plain)
    this.lastSent = bytes
    const { port, address } = this.remote
    this.network.carry(() => {
      this.#socket.send(bytes, port, address)
    })
  }
}
