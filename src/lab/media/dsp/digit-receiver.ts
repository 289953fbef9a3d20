/**
 * Turns telephone-event packets into keys, each once (RFC 4733 §2.5.2). A key is known by its
 * timestamp. It is over when a packet says so, when another key starts, or when no packet of it
 * came for a while (all packets with the end bit were lost). The order of packets is that of their
 * sequence numbers, as in FreeSWITCH: timestamps may run backwards, since replayed recordings and
 * some gateways restart them with each key. A packet that was overtaken says nothing new. A
 * sequence number far back means a sender that started again. Some gateways move the timestamp with
 * each packet of a key: what follows without a marker, within the key's duration, is the same key.
 */

import { sequenceDistance, timestampDistance } from '../codecs/rtp-packet.js'
import { keyOfEvent, type TelephoneEvent } from '../codecs/telephone-event.js'
import { SAMPLES_PER_MS } from './frame.js'

/**
 * The silence after which a key is over. Senders update at least every 50 ms; three lost in a row
 * are still the same key.
 */
const LOST_END_MS = 160
/** Time after which a repeated packet is no late duplicate but a replayed recording, ms. */
const STRAGGLER_MS = 500
/**
 * The distance of packets of one key that follow each other: with one of audio between them, and two of
 * either lost.
 */
const MAX_BETWEEN = 6
/** The distance beyond which a packet belongs to another count and was not overtaken. */
const MAX_OVERTAKEN = 100
/**
 * The longest segment: a key held longer than the 16-bit duration continues as another one (RFC
 * 4733 §2.5.1.3).
 */
const SEGMENT = 0xffff

export type ReportDigit = (digit: string, durationMs: number) => void

export class DigitReceiver {
  readonly #report: ReportDigit
  #isHeld = false
  #event = 0
  #timestamp = 0
  /** True when the last packet of the previous key had the end bit. */
  #isEndHeard = false
  /** Total length of the earlier segments of the key. */
  #earlier = 0
  #duration = 0
  /** The sequence number of the last packet in order; undefined at the start of a stream. */
  #sequence: number | undefined
  #lastPacketMs = Number.NEGATIVE_INFINITY

  constructor(report: ReportDigit) {
    this.#report = report
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  /**
   * Takes a packet; a marker begins a key (RFC 4733 §2.5.1.2). False when it says nothing new: it is
   * another kind of event, or was overtaken.
   */
  onPacket(
    packet: TelephoneEvent,
    timestamp: number,
    sequence: number,
    nowMs: number,
    isMarked: boolean,
  ): boolean {
    if (keyOfEvent(packet.event) === undefined || this.#isOvertaken(sequence, nowMs)) return false
    if (!isMarked && this.#hasWandered(packet, timestamp, sequence)) this.#timestamp = timestamp
    const isPresent = this.#isPresent(packet, timestamp)
    const isRepeated = !isPresent && this.#isOfKeyBefore(packet, timestamp, sequence, nowMs)
    this.#sequence = sequence
    this.#lastPacketMs = nowMs
    if (isRepeated) return false
    if (!isPresent) {
      this.#release(false)
      this.#press(packet.event, timestamp)
    }
    this.#duration = Math.max(this.#duration, packet.duration)
    if (packet.isEnd) this.#release(true)
    return true
  }

  /** Ends a key whose end packets were lost; called each tick. */
  onTime(nowMs: number): void {
    if (this.#isHeld && nowMs - this.#lastPacketMs >= LOST_END_MS) this.#release(false)
  }

  /** Handles a restart of the sender's counters; a held key continues under its new timestamp. */
  restart(): void {
    this.#sequence = undefined
  }

  #isPresent(packet: TelephoneEvent, timestamp: number): boolean {
    if (!this.#isHeld || packet.event !== this.#event) return false
    if (timestamp === this.#timestamp) return true
    if (this.#sequence === undefined) {
      this.#timestamp = timestamp
      return true
    }
    if (timestampDistance(timestamp, this.#timestamp) !== SEGMENT) return false
    this.#earlier += SEGMENT
    this.#duration = 0
    this.#timestamp = timestamp
    return true
  }

  /** True for a packet that continues the key under another timestamp. */
  #hasWandered(packet: TelephoneEvent, timestamp: number, sequence: number): boolean {
    if (packet.event !== this.#event || !this.#isNext(packet, sequence)) return false
    const distance = Math.abs(timestampDistance(timestamp, this.#timestamp))
    return distance <= packet.duration && packet.duration >= this.#duration
  }

  #isOvertaken(sequence: number, nowMs: number): boolean {
    if (this.#sequence === undefined || nowMs - this.#lastPacketMs >= STRAGGLER_MS) return false
    const ahead = sequenceDistance(sequence, this.#sequence)
    return ahead <= 0 && ahead >= -MAX_OVERTAKEN
  }

  /** True for a repeated end of the previous key, or more of it when it was given up too soon. */
  #isOfKeyBefore(
    packet: TelephoneEvent,
    timestamp: number,
    sequence: number,
    nowMs: number,
  ): boolean {
    if (this.#isHeld || packet.event !== this.#event || timestamp !== this.#timestamp) return false
    if (nowMs - this.#lastPacketMs >= STRAGGLER_MS && !this.#isNext(packet, sequence)) return false
    return packet.isEnd || !this.#isEndHeard
  }

  /** True for a packet that the sender sent right after the last one, however long the way held it. */
  #isNext({ isEnd, duration }: TelephoneEvent, sequence: number): boolean {
    if (this.#sequence === undefined) return false
    const ahead = sequenceDistance(sequence, this.#sequence)
    return ahead > 0 && ahead <= MAX_BETWEEN && (isEnd || duration >= this.#duration)
  }

  #press(event: number, timestamp: number): void {
    this.#isHeld = true
    this.#event = event
    this.#timestamp = timestamp
    this.#earlier = 0
    this.#duration = 0
  }

  #release(isEndHeard: boolean): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#isEndHeard = isEndHeard
    const digit = keyOfEvent(this.#event)
    const samples = this.#earlier + this.#duration
    if (digit !== undefined) this.#report(digit, Math.round(samples / SAMPLES_PER_MS))
  }
}
