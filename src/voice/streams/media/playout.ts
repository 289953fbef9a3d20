import { decodeMuLaw } from '../../audio/mu-law.js'
import { ByteQueue } from './byte-queue.js'
import { LineRun } from './line-run.js'
import { PlayoutMarks } from './playout-marks.js'

/** The speaking side of a fork. */
export interface PlayoutLine {
  speak(audio: Buffer): boolean
  mark(name: string): void
  silence(): void
}

const SAMPLES_PER_MS = 8
/** The most audio that waits: ten minutes (documented). */
const MAX_SAMPLES = 10 * 60_000 * SAMPLES_PER_MS
/** The most marks that wait; further ones are refused. */
const MAX_MARKS = 10_000
/** The most marks on the line, fewer than the 30 that the media server keeps. */
const MAX_MARKS_ON_LINE = 24
/** The audio that the media server is kept ahead: a shorter stall of this process is not heard. */
const LEAD = 300 * SAMPLES_PER_MS
const FRAME = 20 * SAMPLES_PER_MS
/** When less than this is ahead and no more audio waits, silence pushes out the rest. */
const PAD_BELOW = 100 * SAMPLES_PER_MS
const QUIET_MS = 60
/** The audio that must play before a mark is put on the line: a mark alone would return at once. */
const MARK_NEEDS = 30 * SAMPLES_PER_MS
/** The wait after the last audio before a mark that the media server has lost is returned. */
const LOST_MARK_MS = 2_000

/**
 * The audio of a customer's stream, from its arrival until it is heard. The media server gets it
 * only a little ahead of its time. So a mark comes back when the audio before it has been played,
 * and `clear` has little to drop there.
 */
export class Playout {
  readonly #line: PlayoutLine
  readonly #onMark: (name: string) => void
  readonly #held = new ByteQueue()
  readonly #marks = new PlayoutMarks()
  readonly #run = new LineRun()
  /** Samples taken from the customer so far; `#given` counts those given to the line. */
  #taken = 0
  #given = 0
  #isPadded = false
  #arrivedAt = 0
  #quietAt = 0

  constructor(line: PlayoutLine, onMark: (name: string) => void) {
    this.#line = line
    this.#onMark = onMark
  }

  /**
   * Takes µ-law audio at 8 kHz. Returns false when ten minutes wait already: the audio was dropped.
   * `now` is a monotonic time.
   */
  push(audio: Uint8Array, now: number): boolean {
    if (this.#held.length + audio.length > MAX_SAMPLES) return false
    this.#held.push(audio)
    this.#taken += audio.length
    this.#arrivedAt = now
    this.#isPadded = false
    this.tick(now)
    return true
  }

  /**
   * Sets a mark; `onMark` returns it when the audio pushed before it has been heard. Returns false
   * when too many marks wait.
   */
  mark(name: string, now: number): boolean {
    if (this.#marks.size >= MAX_MARKS) return false
    this.#marks.hold(name, this.#taken)
    this.tick(now)
    return true
  }

  /** Drops all audio at once and returns every mark, in order. */
  clear(): void {
    const names = this.#marks.takeAll()
    this.#held.clear()
    this.#given = this.#taken
    if (!this.#run.isEmpty) {
      this.#line.silence()
      this.#run.clear()
    }
    this.#endRun(this.#arrivedAt)
    for (const name of names) this.#onMark(name)
  }

  /** Takes a mark back from the line: the audio before it was played. */
  markReturned(id: string): void {
    const name = this.#marks.takeFromLine(id)
    if (name !== undefined) this.#onMark(name) // otherwise the mark was cleared meanwhile
  }

  /** Gives the line its next audio. Called every 20 ms. */
  tick(now: number): void {
    if (this.#run.isPlaying && this.#run.lead(now) <= 0) this.#endRun(now)
    this.#feed(now)
    this.#pad(now)
    if (this.#run.isEmpty) this.#returnRest(now)
  }

  #feed(now: number): void {
    let isMoreDue = true
    while (isMoreDue) isMoreDue = this.#step(now)
  }

  /** Gives one mark or one piece of audio to the line; false when nothing is due. */
  #step(now: number): boolean {
    const { nextAt } = this.#marks
    const toMark = nextAt === undefined ? Infinity : nextAt - this.#given
    if (toMark <= 0 && this.#canMark(now)) {
      const id = this.#marks.putOnLine()
      if (id !== undefined) this.#line.mark(id)
      return true
    }
    const room = LEAD - this.#run.lead(now)
    const wanted = Math.min(this.#held.length, toMark > 0 ? toMark : Infinity)
    const count = Math.floor(Math.min(room, wanted))
    if (count <= 0 || (count < FRAME && count < wanted)) return false
    this.#given += count
    this.#give(decodeMuLaw(this.#held.shift(count)), now)
    return true
  }

  #canMark(now: number): boolean {
    if (this.#marks.onLineCount >= MAX_MARKS_ON_LINE) return false
    if (this.#held.length > 0 && LEAD - this.#run.lead(now) >= FRAME) return true
    return this.#run.isPlaying && this.#run.playable(now) > MARK_NEEDS
  }

  #give(samples: Buffer, now: number): void {
    this.#line.speak(samples)
    this.#run.give(samples.length / 2, now)
  }

  /** Pushes the rest of the audio out of the media server's gathering with silence. */
  #pad(now: number): void {
    if (this.#isPadded || this.#run.isEmpty || this.#held.length > 0) return
    if (now - this.#arrivedAt < QUIET_MS) return
    if (this.#run.isPlaying && this.#run.lead(now) >= PAD_BELOW) return
    this.#isPadded = true
    this.#give(Buffer.alloc(2 * this.#run.gather), now)
    this.#feed(now) // these marks waited for audio to play before them
  }

  #endRun(now: number): void {
    this.#run.end()
    this.#isPadded = false
    this.#quietAt = now
  }

  /**
   * Returns the marks that wait when nothing plays: a mark then waits only for the marks before it.
   */
  #returnRest(now: number): void {
    if (this.#marks.onLineCount > 0 && now - this.#quietAt < LOST_MARK_MS) return
    for (const name of this.#marks.takeAll()) this.#onMark(name)
  }
}
