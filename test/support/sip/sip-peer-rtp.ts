import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** The audio of one peer: speaks one tone, counts digits, and knows what it hears. */
const SAMPLES = 160
const FRAME_MS = 20
/** How much of what was heard is kept: half a second. */
const KEPT = 4_000
/** Share of a window's energy on one frequency above which it is a tone. */
const TONE_SHARE = 0.5
const AUDIBLE_RMS = 200
const STALE_MS = 100
const DIGITS = '0123456789*#ABCD'
const LOSS_SEED = 20_251

export type G711 = 'PCMU' | 'PCMA'

export class PeerRtp {
  codec: G711 = 'PCMU'
  digitPayloadType = 101
  /** Amplitude of all that it speaks at once. */
  loudness = 8_000
  remote: { address: string; port: number } | undefined
  readonly digits: string[] = []
  packets = 0
  lastPayloadType: number | undefined
  /** Of the packets that carry what it says with `say`: lost on the way, the same ones each time. */
  lossShare = 0
  /** Of audio that the sender left out or that was lost, by its own clock; since `forget`. */
  longestGapMs = 0
  readonly #socket: Socket
  readonly #timer: NodeJS.Timeout
  readonly #heard = new Int16Array(KEPT)
  #heardCount = 0
  #frequencies: readonly number[] = []
  #saying: { readonly samples: Int16Array; next: number } = {
    samples: new Int16Array(0),
    next: 0,
  }
  #clock = { sequence: 1, timestamp: 1_000, samples: 0 }
  #chance = LOSS_SEED
  #lastDigitStamp = -1
  #lastAudioAt = 0
  #lastStamp: number | undefined

  static async open(): Promise<PeerRtp> {
    const socket = createSocket('udp4')
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return new PeerRtp(socket)
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('message', (packet) => {
      this.#take(packet)
    })
    let due = performance.now()
    this.#timer = setInterval(() => {
      // A busy machine fires late; the party at the other end is to hear no gap because of it.
      for (; due <= performance.now(); due += FRAME_MS) this.#sendAudio()
    }, FRAME_MS / 2)
  }

  get port(): number {
    const address: AddressInfo = this.#socket.address()
    return address.port
  }

  /** Speaks from now on, one tone or several at once; 0 is silence. */
  speak(...frequencies: readonly number[]): void {
    this.#frequencies = frequencies.filter((frequency) => frequency !== 0)
  }

  /** Says these 16-bit samples from now on, once, and what it speaks after them. */
  say(samples: Int16Array): void {
    this.#saying = { samples, next: 0 }
    this.#chance = LOSS_SEED
  }

  /** Presses a key as a phone without telephone events does: two tones for 100 ms, and 100 ms of silence. */
  async press(key: string): Promise<void> {
    const row = ['123A', '456B', '789C', '*0#D'].findIndex((keys) => keys.includes(key))
    const column = ['147*', '2580', '369#', 'ABCD'].findIndex((keys) => keys.includes(key))
    this.speak([697, 770, 852, 941][row] ?? 0, [1209, 1336, 1477, 1633][column] ?? 0)
    await this.#spoken(100)
    this.speak(0)
    await this.#spoken(100)
  }

  /** Counted in what was sent, so that a busy machine makes no key shorter. */
  async #spoken(ms: number): Promise<void> {
    const end = this.#clock.samples + 8 * ms
    while (this.#clock.samples < end) await new Promise((resolve) => setTimeout(resolve, FRAME_MS))
  }

  /** Sends one digit as a telephone event (RFC 4733): its last packet three times, less those that are lost. */
  async sendDigit(
    digit: string,
    { durationMs = 100, lostEnds = 0 }: { durationMs?: number; lostEnds?: 0 | 1 | 2 } = {},
  ): Promise<void> {
    const event = DIGITS.indexOf(digit)
    const stamp = this.#clock.timestamp
    const frames = durationMs / FRAME_MS
    for (let i = 1; i <= frames + 3 - lostEnds; i += 1) {
      const isEnd = i > frames
      const payload = Buffer.alloc(4)
      payload.writeUInt8(event, 0)
      payload.writeUInt8(isEnd ? 0x8a : 0x0a, 1)
      payload.writeUInt16BE(Math.min(i, frames) * SAMPLES, 2)
      this.#send(this.digitPayloadType, payload, stamp, i === 1)
      if (!isEnd) await new Promise((resolve) => setTimeout(resolve, FRAME_MS))
    }
  }

  /** Whether the last 200 ms carry this tone. */
  hears(frequency: number): boolean {
    const window = this.#last(1_600)
    const energy = window.reduce((sum, sample) => sum + sample * sample, 0)
    if (Math.sqrt(energy / window.length) < AUDIBLE_RMS) return false
    return (2 * goertzel(window, frequency)) / (energy * window.length) > TONE_SHARE
  }

  /** The last 200 ms. */
  heard(): Int16Array {
    return Int16Array.from(this.#last(1_600))
  }

  /** Whether the last 100 ms are silent, or nothing arrives. */
  isQuiet(): boolean {
    const window = this.#last(800)
    const energy = window.reduce((sum, sample) => sum + sample * sample, 0)
    return Math.sqrt(energy / window.length) < AUDIBLE_RMS
  }

  /** Drops what was heard so far. */
  forget(): void {
    this.#heard.fill(0)
    this.digits.length = 0
    this.packets = 0
    this.longestGapMs = 0
    this.#lastStamp = undefined
  }

  close(): void {
    clearInterval(this.#timer)
    this.#socket.close()
  }

  #last(count: number): number[] {
    // A server with nothing to play sends nothing.
    if (performance.now() - this.#lastAudioAt > STALE_MS) return Array<number>(count).fill(0)
    const samples: number[] = []
    for (let i = this.#heardCount - count; i < this.#heardCount; i += 1)
      samples.push(this.#heard[(i + KEPT * 2) % KEPT] ?? 0)
    return samples
  }

  #take(packet: Buffer): void {
    if (packet.length < 12) return
    this.packets += 1
    const payloadType = packet.readUInt8(1) & 0x7f
    const payload = packet.subarray(12)
    if (payloadType === 0 || payloadType === 8) {
      this.#lastAudioAt = performance.now()
      this.lastPayloadType = payloadType
      this.#takeStamp(packet.readUInt32BE(4), payload.length)
      for (const byte of payload) {
        this.#heard[this.#heardCount % KEPT] = payloadType === 0 ? decodeMu(byte) : decodeA(byte)
        this.#heardCount += 1
      }
    } else if (payload.length >= 4) this.#takeDigit(packet.readUInt32BE(4), payload)
  }

  #takeStamp(stamp: number, samples: number): void {
    const left = this.#lastStamp === undefined ? 0 : (stamp - this.#lastStamp) >>> 0
    this.longestGapMs = Math.max(this.longestGapMs, left / 8)
    this.#lastStamp = stamp + samples
  }

  #takeDigit(stamp: number, payload: Buffer): void {
    const isEnd = (payload.readUInt8(1) & 0x80) !== 0
    if (!isEnd || stamp === this.#lastDigitStamp) return
    this.#lastDigitStamp = stamp
    this.digits.push(DIGITS[payload.readUInt8(0)] ?? '?')
  }

  #sendAudio(): void {
    const payload = Buffer.alloc(SAMPLES)
    const isLost = this.#isLost()
    for (let i = 0; i < SAMPLES; i += 1) {
      const sample = this.#saying.samples[this.#saying.next++] ?? this.#spokenAt(i)
      payload[i] = this.codec === 'PCMU' ? encodeMu(sample) : encodeA(sample)
    }
    this.#clock.samples += SAMPLES
    this.#clock.timestamp += SAMPLES
    if (isLost) this.#clock.sequence += 1
    else this.#send(this.codec === 'PCMU' ? 0 : 8, payload, this.#clock.timestamp, false)
  }

  /** Never the first or the last: they say how long it was. */
  #isLost(): boolean {
    const { samples, next } = this.#saying
    if (next === 0 || next >= samples.length - SAMPLES) return false
    this.#chance = (this.#chance * 48_271) % 2_147_483_647
    return this.#chance / 2_147_483_647 < this.lossShare
  }

  #spokenAt(i: number): number {
    const t = (this.#clock.samples + i) / 8_000
    const share = this.loudness / this.#frequencies.length
    return this.#frequencies.reduce((sum, hz) => sum + share * Math.sin(2 * Math.PI * hz * t), 0)
  }

  #send(payloadType: number, payload: Buffer, timestamp: number, hasMarker: boolean): void {
    if (!this.remote) return
    const header = Buffer.alloc(12)
    header.writeUInt8(0x80, 0)
    header.writeUInt8((hasMarker ? 0x80 : 0) | payloadType, 1)
    header.writeUInt16BE(this.#clock.sequence & 0xffff, 2)
    header.writeUInt32BE(timestamp >>> 0, 4)
    header.writeUInt32BE(0x1234, 8)
    this.#clock.sequence += 1
    this.#socket.send(Buffer.concat([header, payload]), this.remote.port, this.remote.address)
  }
}

/** Squared magnitude of one frequency; at most energy * length / 2 for a pure tone. */
export function goertzel(samples: readonly number[], frequency: number, rate = 8_000): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * frequency) / rate)
  let s1 = 0
  let s2 = 0
  for (const sample of samples) [s1, s2] = [sample + coefficient * s1 - s2, s1]
  return s1 * s1 + s2 * s2 - coefficient * s1 * s2
}

/** G.711 µ-law, ITU-T G.711 table 2. */
function decodeMu(byte: number): number {
  const inverted = ~byte & 0xff
  const magnitude = (((inverted & 0x0f) << 3) + 0x84) << ((inverted & 0x70) >> 4)
  return (inverted & 0x80) === 0 ? magnitude - 0x84 : 0x84 - magnitude
}

function encodeMu(sample: number): number {
  const magnitude = Math.min(32_635, Math.abs(Math.round(sample))) + 0x84
  const exponent = Math.max(0, Math.floor(Math.log2(magnitude)) - 7)
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | mantissa) & 0xff
}

/** G.711 A-law, ITU-T G.711 table 1. */
function decodeA(byte: number): number {
  const plain = byte ^ 0x55
  const exponent = (plain & 0x70) >> 4
  const mantissa = (plain & 0x0f) << 4
  const magnitude = exponent === 0 ? mantissa + 8 : (mantissa + 0x108) << (exponent - 1)
  return (plain & 0x80) === 0 ? -magnitude : magnitude
}

function encodeA(sample: number): number {
  const magnitude = Math.min(32_635, Math.abs(Math.round(sample)))
  const exponent = magnitude < 256 ? 0 : Math.floor(Math.log2(magnitude)) - 7
  const mantissa = (magnitude >> (exponent === 0 ? 4 : exponent + 3)) & 0x0f
  return ((sample < 0 ? 0 : 0x80) | (exponent << 4) | mantissa) ^ 0x55
}
