/**
 * Puts the peer's audio back on an even clock.
 *
 * A ring of samples, each at the place its timestamp gives it, so that order, duplicates and packet
 * lengths do not matter; `take` reads 160 samples a tick at a position that moves with our clock.
 * Pauses of the sender are therefore silence of the right length. The distance between the two (the
 * delay) grows when packets come too late, and shrinks when all of them come needlessly early, which
 * also absorbs two clocks that do not agree. A timestamp out of all proportion starts afresh.
 */
import { timestampDistance } from '../codecs/rtp-packet.js'
import { Concealment } from './concealment.js'
import { FRAME_SAMPLES } from './frame.js'

/** The samples of the ring: about a second; a power of two, for the wrap. */
const RING = 8192
/** The samples ahead beyond which a packet has another time base; the ring must hold as many. */
const MAX_AHEAD = 6400
/**
 * The samples behind beyond which a few packets in a row have another time base and are no
 * stragglers.
 */
const MAX_BEHIND = 1600
const MAX_BEHIND_RUN = 3

export type TakenFrame = 'heard' | 'concealed' | 'silent'

const START = FRAME_SAMPLES
const MAX = 10 * FRAME_SAMPLES
/** The packets in which lateness is counted; a second at the usual 20 ms. */
const WINDOW = 50
/** Number of late packets in a window above which the delay is increased. */
const LATE_LIMIT = 2
const CALM_WINDOWS = 4
/** Surplus above which samples are skipped at once: a burst that was queued on the way, in samples. */
const FLOOD = 8 * FRAME_SAMPLES

export class JitterBuffer {
  readonly #samples = new Int16Array(RING)
  readonly #isPresent = new Uint8Array(RING)
  readonly #concealment = new Concealment()
  readonly #delay = new DelayControl()
  /** The timestamp of the sample that `take` reads next; undefined until the first packet. */
  #position: number | undefined
  #behindRun = 0

  /** Puts a packet's first `size` samples into their place; false when they came too late to be heard. */
  put(samples: Int16Array, size: number, timestamp: number, isTalkStart: boolean): boolean {
    if (size <= 0) return true
    const ahead = this.#aheadOf(timestamp, size, isTalkStart)
    this.#delay.onPacket(ahead)
    const skipped = Math.max(0, -ahead)
    if (skipped >= size) return false
    for (let i = skipped; i < size && ahead + i < RING; i++) {
      const at = (timestamp + i) & (RING - 1)
      this.#samples[at] = samples[i] ?? 0
      this.#isPresent[at] = 1
    }
    return true
  }

  /** Fills one frame. */
  take(into: Int16Array): TakenFrame {
    if (this.#position === undefined) {
      into.fill(0)
      return 'silent'
    }
    this.#adjust()
    if (this.#delay.takeHold()) return this.#concealment.conceal(into, 0)
    const heard = this.#copyOut(this.#position, into)
    this.#position = (this.#position + FRAME_SAMPLES) >>> 0
    if (heard < FRAME_SAMPLES) return this.#concealment.conceal(into, heard)
    this.#concealment.remember(into)
    return 'heard'
  }

  /** Drops the buffered audio: the next packet is the first of another stream. */
  reset(): void {
    this.#isPresent.fill(0)
    this.#position = undefined
    this.#behindRun = 0
    this.#delay.restart()
  }

  /**
   * The packet's distance from the read position; starts afresh when the packet has another time
   * base.
   */
  #aheadOf(timestamp: number, size: number, isTalkStart: boolean): number {
    if (this.#position !== undefined) {
      const ahead = timestampDistance(timestamp, this.#position)
      if (!this.#isAnotherTimeBase(ahead, size, isTalkStart)) return ahead
    }
    const delay = this.#delay.delay
    this.reset()
    this.#position = (timestamp - delay) >>> 0
    return delay
  }

  /**
   * True when the packet has another time base. One packet is enough at the start of a talkspurt,
   * where the sender may have moved its clock.
   */
  #isAnotherTimeBase(ahead: number, size: number, isTalkStart: boolean): boolean {
    if (isTalkStart && (ahead > MAX_BEHIND || ahead + size <= 0)) return true
    if (ahead > MAX_AHEAD || ahead <= -0x4000_0000) return true
    this.#behindRun = ahead < -MAX_BEHIND ? this.#behindRun + 1 : 0
    return this.#behindRun >= MAX_BEHIND_RUN
  }

  /** Skips samples when the delay is longer than necessary. */
  #adjust(): void {
    const surplus = this.#delay.takeSurplus()
    for (let i = 0; i < surplus && this.#position !== undefined; i++) {
      this.#isPresent[this.#position & (RING - 1)] = 0
      this.#position = (this.#position + 1) >>> 0
    }
  }

  /**
   * Copies samples from `position` on, as far as the first hole. Samples behind a hole within the
   * same frame keep their place, and the hole stays 0. Returns how many samples precede the hole.
   */
  #copyOut(position: number, into: Int16Array): number {
    let hole = FRAME_SAMPLES
    for (let i = 0; i < FRAME_SAMPLES; i++) {
      const at = (position + i) & (RING - 1)
      if (this.#isPresent[at] === 1) into[i] = this.#samples[at] ?? 0
      else {
        into[i] = 0
        if (hole === FRAME_SAMPLES) hole = i
      }
      this.#isPresent[at] = 0
    }
    return hole
  }
}

/**
 * Decides how long received audio waits before it is heard. It starts at one frame, so that a
 * packet may come up to 20 ms late. It grows by the lateness of late packets when they are more
 * than a few. It shrinks by a frame when for four seconds every packet came a frame earlier than
 * necessary.
 */
class DelayControl {
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
   * Registers a packet. `ahead` is the number of samples between the read position and the packet's first
   * sample; negative when late.
   */
  onPacket(ahead: number): void {
    this.#seen++
    this.#leastAhead = Math.min(this.#leastAhead, ahead)
    this.#mostAhead = Math.max(this.#mostAhead, ahead)
    if (ahead < 0 && ++this.#late > LATE_LIMIT) this.#grow()
    if (this.#seen >= WINDOW) this.#endWindow()
  }

  /** True when this frame must be skipped in reading, which increases the delay by a frame. */
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
