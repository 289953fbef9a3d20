/** Counts a received stream as RFC 3550 asks: loss (§A.3) and jitter (§A.8). */
import { sequenceDistance, timestampDistance } from './rtp-packet.js'

/**
 * The sequence-number jump beyond which a sender has restarted and no packets are lost (RFC 3550
 * §A.1).
 */
const MAX_DROPOUT = 3000
const SAMPLES_PER_MS = 8

export class Reception {
  #ssrc: number | undefined
  #base = 0
  #highest = 0
  #received = 0
  /** Number of packets lost in earlier streams. */
  #lostBefore = 0
  #jitter = 0
  #transit: number | undefined

  get ssrc(): number | undefined {
    return this.#ssrc
  }

  /** The extended highest sequence number. */
  get highestSequence(): number {
    return this.#highest
  }

  /** The interarrival jitter in timestamp units. */
  get jitter(): number {
    return this.#jitter
  }

  get jitterMs(): number {
    return this.#jitter / SAMPLES_PER_MS
  }

  get expected(): number {
    return this.#ssrc === undefined ? 0 : this.#highest - this.#base + 1
  }

  /** Number of packets lost; negative when there are more duplicates than losses. */
  get packetsLost(): number {
    return this.#lostBefore + this.expected - this.#received
  }

  onPacket(ssrc: number, sequence: number, timestamp: number, arrivalMs: number): void {
    const ahead = sequenceDistance(sequence, this.#highest & 0xffff)
    if (ssrc !== this.#ssrc || Math.abs(ahead) > MAX_DROPOUT) this.#restart(ssrc, sequence)
    else if (ahead > 0) this.#highest += ahead
    this.#received++
    this.#measureJitter(timestamp, arrivalMs)
  }

  #restart(ssrc: number, sequence: number): void {
    this.#lostBefore = Math.max(0, this.packetsLost)
    this.#ssrc = ssrc
    this.#base = sequence
    this.#highest = sequence
    this.#received = 0
    this.#transit = undefined
  }

  #measureJitter(timestamp: number, arrivalMs: number): void {
    const transit = (Math.round(arrivalMs * SAMPLES_PER_MS) - timestamp) | 0
    if (this.#transit !== undefined) {
      const difference = Math.abs(timestampDistance(transit, this.#transit))
      // A difference of a second or more is a pause or a new time base of the sender, not network jitter.
      if (difference < 8000) this.#jitter += (difference - this.#jitter) / 16
    }
    this.#transit = transit
  }
}
