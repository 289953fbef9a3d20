import { keysInAudio } from '../sound/keys-in-audio.js'
import { rms, toneShare } from '../sound/tone.js'
import { decodeSample, type Law } from './rtp-g711.js'
import { type RtpPacket, readKey } from './rtp-packets.js'

/** Number of stored packets: at least ten minutes. */
const KEPT_PACKETS = 60_000
/** Number of stored samples, in order of arrival: 0.5 s. */
const KEPT_SAMPLES = 4_000
const JUST_NOW = 1_600
/** Share of a window's energy on one frequency above which it counts as a tone. */
const TONE_SHARE = 0.5
const AUDIBLE_RMS = 200
const STALE_MS = 100
const LAWS: Readonly<Record<number, Law>> = { 0: 'PCMU', 8: 'PCMA' }
export const PAYLOAD_TYPES: Readonly<Record<Law, number>> = { PCMU: 0, PCMA: 8 }

/** The receiving side of an RTP party: packets, decoded audio, and keys. */
export class RtpEar {
  packets: RtpPacket[] = []
  /** Keys received as telephone events, each once, at its release. */
  readonly digits: string[] = []
  lastPayloadType: number | undefined
  /** Longest gap in the audio by the sender's clock, ms. */
  longestGapMs = 0
  readonly #lately = new Int16Array(KEPT_SAMPLES)
  #count = 0
  #lastAudioAt = 0
  #lastStamp: number | undefined
  /** Source and timestamp of the last key; FreeSWITCH starts each channel's timestamps at 0. */
  #lastKey = ''

  forget(): void {
    this.packets = []
    this.digits.length = 0
    this.longestGapMs = 0
    this.#lately.fill(0)
    this.#lastStamp = undefined
  }

  take(packet: RtpPacket, dtmfPayloadType: number): void {
    if (this.packets.length === KEPT_PACKETS) this.packets.splice(0, KEPT_PACKETS / 2)
    this.packets.push(packet)
    const law = LAWS[packet.payloadType]
    if (law !== undefined) this.#takeAudio(packet, law)
    else if (packet.payloadType === dtmfPayloadType) this.#takeKey(packet)
  }

  /** Audio of one codec since `forget`, positioned by timestamps, with silence in gaps. */
  placed(codec: Law): Int16Array {
    const audio = this.packets.filter((one) => one.payloadType === PAYLOAD_TYPES[codec])
    const first = audio[0]
    if (first === undefined) return new Int16Array(0)
    const at = (one: RtpPacket) => (one.timestamp - first.timestamp) | 0
    const end = audio.reduce((last, one) => Math.max(last, at(one) + one.payload.length), 0)
    const samples = new Int16Array(end)
    for (const one of audio)
      one.payload.forEach((code, i) => (samples[at(one) + i] = decodeSample(codec, code)))
    return samples
  }

  /** The last samples in order of arrival: 200 ms, or `count`. Silent while no packets arrive. */
  lately(count = JUST_NOW): Int16Array {
    // A server that plays nothing sends nothing.
    if (performance.now() - this.#lastAudioAt > STALE_MS) return new Int16Array(count)
    const start = this.#count - count + KEPT_SAMPLES
    return Int16Array.from(
      { length: count },
      (_, i) => this.#lately[(start + i) % KEPT_SAMPLES] ?? 0,
    )
  }

  /** Keys detected as tones since `forget`, in order of arrival. */
  tonedKeys(codec: Law): string {
    const audio = this.packets.filter((one) => one.payloadType === PAYLOAD_TYPES[codec])
    const codes = Buffer.concat(audio.map(({ payload }) => payload))
    return keysInAudio(Int16Array.from(codes, (code) => decodeSample(codec, code)))
  }

  hears(hz: number): boolean {
    const window = this.lately()
    return rms(window) >= AUDIBLE_RMS && toneShare(window, hz) > TONE_SHARE
  }

  /** True while both tones of North American ringing, 440 and 480 Hz, dominate the audio. */
  hearsRinging(): boolean {
    const window = this.lately()
    const shares = [440, 480].map((hz) => toneShare(window, hz))
    return rms(window) >= AUDIBLE_RMS && shares.every((share) => share > 0.4)
  }

  isQuiet(): boolean {
    return rms(this.lately(JUST_NOW / 2)) < AUDIBLE_RMS
  }

  #takeAudio({ payloadType, payload, timestamp }: RtpPacket, law: Law): void {
    this.#lastAudioAt = performance.now()
    this.lastPayloadType = payloadType
    const left = this.#lastStamp === undefined ? 0 : (timestamp - this.#lastStamp) >>> 0
    this.longestGapMs = Math.max(this.longestGapMs, left / 8)
    this.#lastStamp = timestamp + payload.length
    for (const code of payload) {
      this.#lately[this.#count % KEPT_SAMPLES] = decodeSample(law, code)
      this.#count += 1
    }
  }

  #takeKey({ payload, ssrc, timestamp }: RtpPacket): void {
    const event = readKey(payload)
    const key = `${String(ssrc)} ${String(timestamp)}`
    if (event?.isEnd !== true || key === this.#lastKey) return
    this.#lastKey = key
    this.digits.push(event.key)
  }
}
