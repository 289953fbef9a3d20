import { decodeMuLaw } from '../../audio/mu-law.js'
import { ByteQueue } from './byte-queue.js'

/** What plays: the speaking side of a fork. */
export interface PlayoutLine {
  speak(audio: Buffer): boolean
  mark(name: string): void
  silence(): void
}

const SAMPLES_PER_MS = 8
/** Ten minutes of audio (documented). */
const MAX_SAMPLES = 10 * 60_000 * SAMPLES_PER_MS
/** Marks that have not come back; more are refused. */
const MAX_MARKS = 10_000
/** Of the 30 that the media server keeps. */
const MAX_MARKS_ON_LINE = 24
/** How far the media server is kept ahead of what is heard: a stall of this process that nobody hears. */
const LEAD = 300 * SAMPLES_PER_MS
const FRAME = 20 * SAMPLES_PER_MS
/** What the media server gathers before it begins, and at a time from then on. */
const FIRST_GATHER = 160 * SAMPLES_PER_MS
const GATHER = 80 * SAMPLES_PER_MS
/** With less ahead than this and nothing more to come, the rest is pushed out with silence. */
const PAD_BELOW = 100 * SAMPLES_PER_MS
const QUIET_MS = 60
/** A mark is put on the line only while this much plays before it: alone, it would return at once. */
const MARK_NEEDS = 30 * SAMPLES_PER_MS
/** Marks that the media server has forgotten this long after all was played are returned anyway. */
const LOST_MARK_MS = 2_000

interface Mark {
  readonly name: string
  /** Of all samples that came before it. */
  readonly at: number
}

/**
 * What a customer's stream says, from its arrival until it is heard. Audio is held here and given to
 * the media server a little ahead of its time only, so that a mark comes back when what was before it
 * has been played, and `clear` has little to throw away there.
 */
export class Playout {
  readonly #line: PlayoutLine
  readonly #onMark: (name: string) => void
  readonly #held = new ByteQueue()
  readonly #marks: { readonly held: Mark[]; readonly onLine: Map<string, string>; count: number } =
    {
      held: [],
      onLine: new Map(),
      count: 0,
    }
  /** Samples: taken from the customer, given to the line, and of those, silence. */
  readonly #total = { taken: 0, given: 0 }
  /** Of what was given since the line was last quiet; what of it the media server still gathers. */
  readonly #run = { given: 0, gathering: 0, gather: FIRST_GATHER, isPadded: false }
  /** When the run began to play, when the customer last sent audio, when the line fell quiet. */
  readonly #at: { begun: number | undefined; arrival: number; quiet: number } = {
    begun: undefined,
    arrival: 0,
    quiet: 0,
  }

  constructor(line: PlayoutLine, onMark: (name: string) => void) {
    this.#line = line
    this.#onMark = onMark
  }

  /** µ-law of 8 kHz. False when ten minutes wait already: it was thrown away. `now` never jumps. */
  push(audio: Uint8Array, now: number): boolean {
    if (this.#held.length + audio.length > MAX_SAMPLES) return false
    this.#held.push(audio)
    this.#total.taken += audio.length
    this.#at.arrival = now
    this.#run.isPadded = false
    this.tick(now)
    return true
  }

  /** Returned by `onMark` when what was pushed before it has been heard. False: too many wait. */
  mark(name: string, now: number): boolean {
    const { held, onLine } = this.#marks
    if (held.length + onLine.size >= MAX_MARKS) return false
    held.push({ name, at: this.#total.taken })
    this.tick(now)
    return true
  }

  /** Silence at once; every mark is returned, in order. */
  clear(): void {
    const { held, onLine } = this.#marks
    const names = [...onLine.values(), ...held.map(({ name }) => name)]
    onLine.clear()
    held.length = 0
    this.#held.clear()
    this.#total.given = this.#total.taken
    if (this.#run.given > 0) {
      this.#line.silence()
      this.#run.gather = FIRST_GATHER
    }
    this.#endRun(this.#at.arrival)
    for (const name of names) this.#onMark(name)
  }

  /** The line played what was before its mark. */
  markReturned(id: string): void {
    const name = this.#marks.onLine.get(id)
    if (name === undefined) return // cleared meanwhile
    this.#marks.onLine.delete(id)
    this.#onMark(name)
  }

  /** To be called every 20 ms. */
  tick(now: number): void {
    if (this.#at.begun !== undefined && this.#lead(now) <= 0) this.#endRun(now)
    this.#feed(now)
    this.#pad(now)
    if (this.#run.given === 0) this.#returnRest(now)
  }

  #feed(now: number): void {
    let isMoreDue = true
    while (isMoreDue) isMoreDue = this.#step(now)
  }

  /** Gives one mark or one piece of audio to the line; false when nothing is due. */
  #step(now: number): boolean {
    const [mark] = this.#marks.held
    const toMark = mark === undefined ? Infinity : mark.at - this.#total.given
    if (mark !== undefined && toMark <= 0 && this.#canMark(now)) {
      this.#marks.held.shift()
      this.#marks.count += 1
      const id = String(this.#marks.count)
      this.#marks.onLine.set(id, mark.name)
      this.#line.mark(id)
      return true
    }
    const room = LEAD - this.#lead(now)
    const wanted = Math.min(this.#held.length, toMark > 0 ? toMark : Infinity)
    const count = Math.floor(Math.min(room, wanted))
    if (count <= 0 || (count < FRAME && count < wanted)) return false
    this.#total.given += count
    this.#give(decodeMuLaw(this.#held.shift(count)), now)
    return true
  }

  #canMark(now: number): boolean {
    if (this.#marks.onLine.size >= MAX_MARKS_ON_LINE) return false
    if (this.#held.length > 0 && LEAD - this.#lead(now) >= FRAME) return true
    return this.#at.begun !== undefined && this.#lead(now) - this.#run.gathering > MARK_NEEDS
  }

  #give(samples: Buffer, now: number): void {
    const run = this.#run
    const count = samples.length / 2
    this.#line.speak(samples)
    run.given += count
    run.gathering += count
    if (run.gathering < run.gather) return
    run.gathering = 0
    run.gather = GATHER
    this.#at.begun ??= now
  }

  /** Samples that the line has and that were not heard yet. */
  #lead(now: number): number {
    const { begun } = this.#at
    return this.#run.given - (begun === undefined ? 0 : (now - begun) * SAMPLES_PER_MS)
  }

  #pad(now: number): void {
    const run = this.#run
    if (run.isPadded || run.given === 0 || this.#held.length > 0) return
    if (now - this.#at.arrival < QUIET_MS) return
    if (this.#at.begun !== undefined && this.#lead(now) >= PAD_BELOW) return
    run.isPadded = true
    this.#give(Buffer.alloc(2 * run.gather), now)
    this.#feed(now) // marks that waited for something to play before them
  }

  #endRun(now: number): void {
    this.#run.given = 0
    this.#run.gathering = 0
    this.#run.isPadded = false
    this.#at.begun = undefined
    this.#at.quiet = now
  }

  /** Nothing plays: a mark has nothing to wait for but the marks before it. */
  #returnRest(now: number): void {
    const { held, onLine } = this.#marks
    if (onLine.size > 0) {
      if (now - this.#at.quiet < LOST_MARK_MS) return
      for (const id of [...onLine.keys()]) this.markReturned(id)
    }
    for (const { name } of held.splice(0)) this.#onMark(name)
  }
}
