/**
 * Keeps audio that is passed on as it arrives on the peer's clock: gaps become silence of their
 * length, late audio is dropped, and a pause of the peer is filled in. Nothing waits here, unlike
 * in the jitter buffer: a packet overtaken by its successor is lost.
 */
import { timestampDistance } from '../codecs/rtp-packet.js'
import { FRAME_SAMPLES } from './frame.js'

/**
 * The distance beyond which a timestamp belongs to another time base and is no gap, in 8 kHz
 * samples.
 */
const MAX_DISTANCE = 4_000
/** Number of ticks without a packet after which silence is inserted. */
const QUIET_TICKS = 5

export class ArrivalClock {
  /** Number of silent samples to insert before the last placed packet. */
  gap = 0
  /** Number of leading samples of that packet that arrived too late. */
  late = 0
  #next: number | undefined
  #quietTicks = 0

  /** Places a packet of `size` samples; `gap` and `late` then say what to do with it. */
  place(timestamp: number, size: number): void {
    this.#quietTicks = 0
    const ahead = this.#next === undefined ? 0 : timestampDistance(timestamp, this.#next)
    const isNear = Math.abs(ahead) <= MAX_DISTANCE
    this.gap = isNear ? Math.max(0, ahead) : 0
    this.late = isNear ? Math.min(size, Math.max(0, -ahead)) : 0
    if (!isNear || ahead + size > 0) this.#next = (timestamp + size) >>> 0
  }

  /** Called each tick. Returns true when a frame of silence must be inserted because no packet arrived. */
  isFrameDue(): boolean {
    if (++this.#quietTicks <= QUIET_TICKS) return false
    if (this.#next !== undefined) this.#next = (this.#next + FRAME_SAMPLES) >>> 0
    return true
  }
}
