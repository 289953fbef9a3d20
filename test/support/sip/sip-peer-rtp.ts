import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { isIPv6 } from 'node:net'
import { decodeSample, encodingTable, type Law } from '../media/rtp-g711.js'
import { readKey, readRtp, writeKey, writeRtp } from '../media/rtp-packets.js'
import { rms, toneShare } from '../sound/tone.js'

/** The samples of one packet of the peer. */
const SAMPLES = 160
const FRAME_MS = 20
/** The number of heard samples that are kept: half a second. */
const KEPT = 4_000
/** The share of a window's energy on one frequency above which it counts as a tone. */
const TONE_SHARE = 0.5
const AUDIBLE_RMS = 200
const STALE_MS = 100
const LOSS_SEED = 20_251
const SSRC = 0x1234

export type G711 = Law

export class PeerRtp {
  codec: G711 = 'PCMU'
  digitPayloadType = 101
  /** The amplitude of all tones together. */
  loudness = 8_000
  remote: { address: string; port: number } | undefined
  readonly digits: string[] = []
  packets = 0
  lastPayloadType: number | undefined
  /** The share of the packets of `say` that are lost, the same ones each time. */
  lossShare = 0
  /** The longest gap in the audio since `forget`, by the sender's clock. */
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

  static async open(host: string): Promise<PeerRtp> {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
    socket.bind(0, host)
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
      // A busy machine fires late; the far end must not hear a gap because of it.
      for (; due <= performance.now(); due += FRAME_MS) this.#sendAudio()
    }, FRAME_MS / 2)
  }

  get port(): number {
    const address: AddressInfo = this.#socket.address()
    return address.port
  }

  /** Speaks one or several tones from now on; 0 is silence. */
  speak(...frequencies: readonly number[]): void {
    this.#frequencies = frequencies.filter((frequency) => frequency !== 0)
  }

  /** Says these 16-bit samples once, then goes on with the tones of `speak`. */
  say(samples: Int16Array): void {
    this.#saying = { samples, next: 0 }
    this.#chance = LOSS_SEED
  }

  /** Presses a key in-band: two tones for 100 ms, then 100 ms of silence. */
  async press(key: string): Promise<void> {
    const row = ['123A', '456B', '789C', '*0#D'].findIndex((keys) => keys.includes(key))
    const column = ['147*', '2580', '369#', 'ABCD'].findIndex((keys) => keys.includes(key))
    this.speak([697, 770, 852, 941][row] ?? 0, [1209, 1336, 1477, 1633][column] ?? 0)
    await this.#spoken(100)
    this.speak(0)
    await this.#spoken(100)
  }

  /** Waits until this much audio was sent, so that a busy machine makes no key shorter. */
  async #spoken(ms: number): Promise<void> {
    const end = this.#clock.samples + 8 * ms
    while (this.#clock.samples < end) await new Promise((resolve) => setTimeout(resolve, FRAME_MS))
  }

  /**
   * Sends one digit as a telephone event (RFC 4733). The last packet is sent three times, less the
   * lost ones.
   */
  async sendDigit(
    digit: string,
    { durationMs = 100, lostEnds = 0 }: { durationMs?: number; lostEnds?: 0 | 1 | 2 } = {},
  ): Promise<void> {
    const stamp = this.#clock.timestamp
    const frames = durationMs / FRAME_MS
    for (let i = 1; i <= frames + 3 - lostEnds; i += 1) {
      const isEnd = i > frames
      const payload = writeKey(digit, Math.min(i, frames) * SAMPLES, isEnd)
      this.#send(this.digitPayloadType, payload, stamp, i === 1)
      if (!isEnd) await new Promise((resolve) => setTimeout(resolve, FRAME_MS))
    }
  }

  /** True when the last 200 ms carry this tone. */
  hears(frequency: number): boolean {
    const window = this.#last(1_600)
    return rms(window) >= AUDIBLE_RMS && toneShare(window, frequency) > TONE_SHARE
  }

  /** The last 200 ms of heard audio. */
  heard(): Int16Array {
    return this.#last(1_600)
  }

  /** True when the last 100 ms are silent, or no packet arrives. */
  isQuiet(): boolean {
    return rms(this.#last(800)) < AUDIBLE_RMS
  }

  /** Drops the audio that was heard so far. */
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

  #last(count: number): Int16Array {
    // A server with nothing to play sends nothing.
    if (performance.now() - this.#lastAudioAt > STALE_MS) return new Int16Array(count)
    const start = this.#heardCount - count
    return Int16Array.from({ length: count }, (_, i) => this.#heard[(start + i + KEPT) % KEPT] ?? 0)
  }

  #take(bytes: Buffer): void {
    const packet = readRtp(bytes)
    if (packet === undefined) return
    this.packets += 1
    const { payloadType, payload, timestamp } = packet
    if (payloadType !== 0 && payloadType !== 8) {
      this.#takeDigit(timestamp, payload)
      return
    }
    const law = payloadType === 0 ? 'PCMU' : 'PCMA'
    this.#lastAudioAt = performance.now()
    this.lastPayloadType = payloadType
    this.#takeStamp(timestamp, payload.length)
    for (const code of payload) {
      this.#heard[this.#heardCount % KEPT] = decodeSample(law, code)
      this.#heardCount += 1
    }
  }

  #takeStamp(stamp: number, samples: number): void {
    const left = this.#lastStamp === undefined ? 0 : (stamp - this.#lastStamp) >>> 0
    this.longestGapMs = Math.max(this.longestGapMs, left / 8)
    this.#lastStamp = stamp + samples
  }

  #takeDigit(stamp: number, payload: Buffer): void {
    const event = readKey(payload)
    if (event?.isEnd !== true || stamp === this.#lastDigitStamp) return
    this.#lastDigitStamp = stamp
    this.digits.push(event.key)
  }

  #sendAudio(): void {
    const payload = Buffer.alloc(SAMPLES)
    const codes = encodingTable(this.codec)
    const isLost = this.#isLost()
    for (let i = 0; i < SAMPLES; i += 1) {
      const sample = this.#saying.samples[this.#saying.next++] ?? this.#spokenAt(i)
      payload[i] = codes[clip16(sample) & 0xffff] ?? 0
    }
    this.#clock.samples += SAMPLES
    this.#clock.timestamp += SAMPLES
    if (isLost) this.#clock.sequence += 1
    else this.#send(this.codec === 'PCMU' ? 0 : 8, payload, this.#clock.timestamp, false)
  }

  /** True for a packet to lose; never the first or the last one, which mark the length. */
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
    const { sequence } = this.#clock
    const packet = { payloadType, isMarked: hasMarker, sequence, timestamp, ssrc: SSRC, payload }
    this.#clock.sequence += 1
    this.#socket.send(writeRtp(packet), this.remote.port, this.remote.address)
  }
}

function clip16(sample: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(sample)))
}
