/**
 * Plays to the peer what the far end of a fork sends back. As in mod_audio_fork, audio is gathered
 * before it plays (160 ms at first, then 80 ms at a time), mixed into what plays, and heard only
 * while something plays. Marks stand between the samples.
 */
import { clip16, SAMPLE_RATE } from '../dsp/frame.js'
import { Resampler } from '../dsp/resampler.js'

/**
 * The samples of the ring: a power of two, about 65 s. More is dropped: the far end sends faster
 * than real time.
 */
const RING = 1 << 19
const FIRST_GATHER = 1_280
const GATHER = 640
const MAX_MARKS = 30

export interface PlayoutEvents {
  onMark(name: string, event: 'playout' | 'cleared'): void
}

interface Mark {
  readonly name: string
  /** The sample that the mark stands before; undefined until more audio follows it. */
  at: number | undefined
}

export class ForkPlayout {
  readonly #events: PlayoutEvents
  readonly #resampler: Resampler | undefined
  readonly #ring = new Int16Array(RING)
  /** The samples received since the start. */
  #written = 0
  /** The samples released for playing since the start. */
  #released = 0
  /** The samples played since the start. */
  #played = 0
  /** The samples that are gathered before more are released. */
  #gather = FIRST_GATHER
  readonly #marks: Mark[] = []
  #oddByte: number | undefined

  constructor(sampleRate: number, events: PlayoutEvents) {
    this.#events = events
    this.#resampler = sampleRate === SAMPLE_RATE ? undefined : new Resampler(sampleRate)
  }

  /** Takes any number of bytes; an odd one waits for its other half. */
  push(bytes: Uint8Array): void {
    for (const mark of this.#marks) mark.at ??= this.#written
    let low = this.#oddByte
    for (const byte of bytes) {
      if (low === undefined) low = byte
      else {
        this.#pushSample(((low | (byte << 8)) << 16) >> 16)
        low = undefined
      }
    }
    this.#oddByte = low
    if (this.#written - this.#released < this.#gather) return
    this.#released = this.#written
    this.#gather = GATHER
  }

  mark(name: string): void {
    if (this.#marks.length < MAX_MARKS) this.#marks.push({ name, at: undefined })
  }

  /** Plays one frame more, mixed into `said`. */
  mixInto(said: Int16Array): void {
    const available = Math.min(said.length, this.#released - this.#played)
    for (let i = 0; i < available; i++)
      said[i] = clip16((said[i] ?? 0) + (this.#ring[(this.#played + i) % RING] ?? 0))
    this.#played += available
    const [first] = this.#marks
    if (first === undefined) return
    if (first.at === undefined ? available === 0 : first.at <= this.#played && available > 0) {
      this.#marks.shift()
      this.#events.onMark(first.name, 'playout')
    }
  }

  clear(): void {
    this.#played = this.#written
    this.#released = this.#written
    this.clearMarks('cleared')
  }

  /** Forgets all marks; with an event, each is reported first. */
  clearMarks(event?: 'cleared'): void {
    const marks = this.#marks.splice(0)
    if (event !== undefined) for (const { name } of marks) this.#events.onMark(name, event)
  }

  #pushSample(sample: number): void {
    if (this.#resampler === undefined) {
      this.#write(sample)
      return
    }
    this.#resampler.push(sample)
    while (!this.#resampler.isHungry) this.#write(this.#resampler.pull())
  }

  #write(sample: number): void {
    if (this.#written - this.#played >= RING) return
    this.#ring[this.#written % RING] = sample
    this.#written++
  }
}
