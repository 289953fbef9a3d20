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
import { DelayControl } from './delay-control.js'
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

  /** Forgets the audio that it holds: the next packet is the first of another stream. */
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

  /** Skips the samples that make the delay longer than necessary. */
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
