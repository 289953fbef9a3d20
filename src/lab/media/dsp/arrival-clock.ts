/**
 * Keeps audio that is passed on as it arrives on the peer's clock: gaps become silence of their length,
 * what comes behind its time is dropped, and a peer that pauses is filled in for.
 *
 * There is no waiting here, unlike in the jitter buffer: a packet overtaken by its successor is lost.
 */
import { timestampDistance } from '../codecs/rtp-packet.js'
import { FRAME_SAMPLES } from './frame.js'

/** Farther off than this is another time base, not a gap. 8 kHz samples. */
const MAX_DISTANCE = 4_000
/** So long may the network keep the next packet; then silence takes its place. */
const QUIET_TICKS = 5

export class ArrivalClock {
  /** Samples of silence owed before the packet that was placed last. */
  gap = 0
  /** Leading samples of that packet whose time is past. */
  late = 0
  #next: number | undefined
  #quietTicks = 0

  /** Says in `gap` and `late` what to do with a packet of `size` samples. */
  place(timestamp: number, size: number): void {
    this.#quietTicks = 0
    const ahead = this.#next === undefined ? 0 : timestampDistance(timestamp, this.#next)
    const isNear = Math.abs(ahead) <= MAX_DISTANCE
    this.gap = isNear ? Math.max(0, ahead) : 0
    this.late = isNear ? Math.min(size, Math.max(0, -ahead)) : 0
    if (!isNear || ahead + size > 0) this.#next = (timestamp + size) >>> 0
  }

  /** Each tick: true when a frame of silence is due because nothing comes. */
  isFrameDue(): boolean {
    if (++this.#quietTicks <= QUIET_TICKS) return false
    if (this.#next !== undefined) this.#next = (this.#next + FRAME_SAMPLES) >>> 0
    return true
  }
}
