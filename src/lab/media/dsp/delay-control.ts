/**
 * Decides how long received audio waits before it is heard. It starts at one frame, so that a
 * packet may come up to 20 ms late. It grows by the lateness of late packets when they are more
 * than a few. It shrinks by a frame when for four seconds every packet came a frame earlier than
 * necessary.
 */
import { FRAME_SAMPLES } from './frame.js'

const START = FRAME_SAMPLES
const MAX = 10 * FRAME_SAMPLES
/** The packets in which lateness is counted; a second at the usual 20 ms. */
const WINDOW = 50
/** The late packets in a window that are no accident any more. */
const LATE_LIMIT = 2
const CALM_WINDOWS = 4
/** The surplus that is skipped at once: a burst that was queued somewhere. */
const FLOOD = 8 * FRAME_SAMPLES

export class DelayControl {
  #seen = 0
  #late = 0
  /**
   * The least distance between the read position and arriving packets, in the present run of
   * windows.
   */
  #leastAhead = Number.POSITIVE_INFINITY
  #mostAhead = Number.NEGATIVE_INFINITY
  #calmWindows = 0
  /** The pending change. Positive: samples to wait for; negative: samples to skip. */
  #change = 0
  /** The variation of the path until now. */
  #spread = 0

  /** The samples between the read position and the first packet of a stream. */
  get delay(): number {
    return Math.min(MAX, START + Math.ceil(this.#spread / FRAME_SAMPLES) * FRAME_SAMPLES)
  }

  /**
   * Takes note of a packet. `ahead`: samples between the read position and the packet's first;
   * negative when late.
   */
  onPacket(ahead: number): void {
    this.#seen++
    this.#leastAhead = Math.min(this.#leastAhead, ahead)
    this.#mostAhead = Math.max(this.#mostAhead, ahead)
    if (ahead < 0 && ++this.#late > LATE_LIMIT) this.#grow()
    if (this.#seen >= WINDOW) this.#endWindow()
  }

  /** True when this frame is to be waited out, which makes the delay a frame longer. */
  takeHold(): boolean {
    if (this.#change <= 0) return false
    this.#change = Math.max(0, this.#change - FRAME_SAMPLES)
    return true
  }

  /** Returns the samples to skip now. */
  takeSurplus(): number {
    if (this.#change >= 0) return 0
    const surplus = -this.#change
    this.#change = 0
    return surplus
  }

  /** Starts another stream; `delay` remembers what this one needed. */
  restart(): void {
    this.#change = 0
    this.#calmWindows = 0
    this.#look()
  }

  #grow(): void {
    const wanted = Math.ceil(-this.#leastAhead / FRAME_SAMPLES) * FRAME_SAMPLES
    const room = MAX - Math.max(0, this.#mostAhead)
    const growth = Math.min(wanted, Math.floor(room / FRAME_SAMPLES) * FRAME_SAMPLES)
    if (growth > 0) this.#change = Math.max(0, this.#change) + growth
    this.#calmWindows = 0
    this.#look()
  }

  #endWindow(): void {
    const spare = this.#leastAhead - START
    this.#spread = Math.max(0, this.#mostAhead - this.#leastAhead)
    this.#calmWindows = this.#late === 0 ? this.#calmWindows + 1 : 0
    this.#seen = 0
    this.#late = 0
    if (spare >= FLOOD) this.#change -= spare
    else if (this.#calmWindows < CALM_WINDOWS) return
    else if (spare >= FRAME_SAMPLES) this.#change -= FRAME_SAMPLES
    this.#calmWindows = 0
    this.#look()
  }

  /** Starts new windows. */
  #look(): void {
    this.#seen = 0
    this.#late = 0
    this.#leastAhead = Number.POSITIVE_INFINITY
    this.#mostAhead = Number.NEGATIVE_INFINITY
  }
}
