/**
 * Decides what to send of a key in each 20 ms frame. As telephone events (RFC 4733 §2.5.1), a key
 * is one packet a frame with growing duration under one timestamp, the last one sent three times.
 * As in-band tones it is a pair of sines. The pause between keys is never shorter than the three
 * last packets need.
 */
import { eventOfKey, type TelephoneEvent } from '../codecs/telephone-event.js'
import { FRAME_MS, FRAME_SAMPLES } from './frame.js'

const END_PACKETS = 3
const PAUSES_MS: Readonly<Record<string, number>> = { w: 500, W: 1000 }

export interface DigitJob {
  /** The keys `0-9 A-D * #` and the pauses `w` and `W`. */
  readonly digits: string
  readonly durationMs: number
  readonly gapMs: number
  readonly onSent: () => void
}

/** The part of a key or pause that a frame carries. */
export type DigitFrame =
  | 'idle'
  /** The wait between keys, or `w`: audio goes on. */
  | 'pause'
  | 'first'
  | 'held'
  /** The end bit is set; the packet is repeated. */
  | 'end'

export class DigitSender {
  readonly #jobs: DigitJob[] = []
  /** The index of the next digit of the current job. */
  #next = 0
  /** Number of completed frames of the current key or pause; 0 before it has begun. */
  #frame = 0
  #holdFrames = 0
  #gapFrames = 0
  /** The event of the present key, as `advance` fills it in. */
  readonly present: TelephoneEvent = { event: 0, isEnd: false, duration: 0 }

  get isBusy(): boolean {
    return this.#jobs.length > 0
  }

  get queued(): number {
    return this.#jobs.length
  }

  add(job: DigitJob): void {
    this.#jobs.push(job)
  }

  /**
   * True when the key is down in the frame that `advance` last described: an in-band tone sounds.
   */
  get isPressed(): boolean {
    return this.#frame <= this.#holdFrames && this.#holdFrames > 0
  }

  /** Advances by one frame and returns what to send in it; `present` then contains the event. */
  advance(): DigitFrame {
    if (this.#frame > 0 && this.#frame >= this.#holdFrames + this.#gapFrames) this.#finish()
    const job = this.#jobs[0]
    if (job === undefined) return 'idle'
    if (this.#frame === 0) this.#begin(job)
    return this.#describe(this.#frame++)
  }

  /** Drops all jobs without notifying their senders. */
  clear(): void {
    this.#jobs.length = 0
    this.#next = 0
    this.#frame = 0
  }

  #begin(job: DigitJob): void {
    const key = job.digits[this.#next] ?? ''
    const event = eventOfKey(key)
    this.present.event = event ?? 0
    this.#holdFrames = event === undefined ? 0 : toFrames(job.durationMs, 2)
    this.#gapFrames =
      event === undefined
        ? toFrames(PAUSES_MS[key] ?? FRAME_MS, 1)
        : toFrames(job.gapMs, END_PACKETS)
  }

  /**
   * Describes a frame. The last packet of a hold is the first of the end packets, so that the key
   * ends on time.
   */
  #describe(frame: number): DigitFrame {
    const lastHeld = this.#holdFrames - 1
    if (lastHeld < 0 || frame >= lastHeld + END_PACKETS) return 'pause'
    // The packet sent in a frame covers the audio up to that frame's end.
    this.present.duration = Math.min(0xffff, (Math.min(frame, lastHeld) + 1) * FRAME_SAMPLES)
    this.present.isEnd = frame >= lastHeld
    if (this.present.isEnd) return 'end'
    return frame === 0 ? 'first' : 'held'
  }

  #finish(): void {
    const job = this.#jobs[0]
    this.#frame = 0
    if (job === undefined || ++this.#next < job.digits.length) return
    this.#next = 0
    this.#jobs.shift()
    job.onSent()
  }
}

function toFrames(ms: number, atLeast: number): number {
  return Math.max(atLeast, Math.round(ms / FRAME_MS))
}
