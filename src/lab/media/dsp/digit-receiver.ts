/**
 * Telephone-event packets → keys, each once (RFC 4733 §2.5.2).
 *
 * A key is known by its timestamp. It is over when a packet says so, when another key starts, or when
 * nothing of it came for a while (all packets with the end bit were lost). Packets of a key that is
 * over are absorbed for half a second: retransmissions and stragglers. After that the same timestamp
 * means a new key, since a replayed recording repeats it.
 */

import { timestampDistance } from '../codecs/rtp-packet.js'
import { keyOfEvent, type TelephoneEvent } from '../codecs/telephone-event.js'
import { SAMPLES_PER_MS } from './frame.js'

/** Senders update at least every 50 ms; three lost in a row are still the same key. */
const LOST_END_MS = 160
const STRAGGLER_MS = 500
/** A key held longer than the 16-bit duration continues as a segment (RFC 4733 §2.5.1.3). */
const SEGMENT = 0xffff

export type ReportDigit = (digit: string, durationMs: number) => void

export class DigitReceiver {
  readonly #report: ReportDigit
  #isHeld = false
  #event = 0
  #timestamp = 0
  /** Of the segments before the present one. */
  #earlier = 0
  #duration = 0
  #lastPacketMs = Number.NEGATIVE_INFINITY

  constructor(report: ReportDigit) {
    this.#report = report
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  /** False when the packet says nothing new: another kind of event, or a straggler. */
  onPacket(packet: TelephoneEvent, timestamp: number, nowMs: number): boolean {
    if (keyOfEvent(packet.event) === undefined) return false
    if (!this.#isPresent(packet, timestamp)) {
      if (this.#isStraggler(timestamp, nowMs)) return false
      this.#release()
      this.#press(packet.event, timestamp)
    }
    this.#lastPacketMs = nowMs
    this.#duration = Math.max(this.#duration, packet.duration)
    if (packet.isEnd) this.#release()
    return true
  }

  /** To be called now and then (each tick): ends a key whose end was lost. */
  onTime(nowMs: number): void {
    if (this.#isHeld && nowMs - this.#lastPacketMs >= LOST_END_MS) this.#release()
  }

  /** The sender is another one: its timestamps have nothing to do with those before. */
  reset(): void {
    this.#release()
    this.#lastPacketMs = Number.NEGATIVE_INFINITY
  }

  #isPresent(packet: TelephoneEvent, timestamp: number): boolean {
    if (!this.#isHeld || packet.event !== this.#event) return false
    if (timestamp === this.#timestamp) return true
    if (timestampDistance(timestamp, this.#timestamp) !== SEGMENT) return false
    this.#earlier += SEGMENT
    this.#duration = 0
    this.#timestamp = timestamp
    return true
  }

  #isStraggler(timestamp: number, nowMs: number): boolean {
    if (nowMs - this.#lastPacketMs >= STRAGGLER_MS) return false
    return timestampDistance(timestamp, this.#timestamp) <= 0
  }

  #press(event: number, timestamp: number): void {
    this.#isHeld = true
    this.#event = event
    this.#timestamp = timestamp
    this.#earlier = 0
    this.#duration = 0
  }

  #release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    const digit = keyOfEvent(this.#event)
    const samples = this.#earlier + this.#duration
    if (digit !== undefined) this.#report(digit, Math.round(samples / SAMPLES_PER_MS))
  }
}
