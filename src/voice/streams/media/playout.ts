import { decodeMuLaw } from '../../audio/mu-law.js'

/** The outbound side of a fork. */
export interface PlayoutLine {
  speak(audio: Buffer): boolean
  mark(name: string): void
  silence(): void
}

const SAMPLES_PER_MS = 8
/** Maximum queued audio: ten minutes (documented). */
const MAX_SAMPLES = 10 * 60_000 * SAMPLES_PER_MS
/** Maximum number of queued marks; more are refused. */
const MAX_MARKS = 10_000
/** Maximum number of marks at the media server, below its limit of 30. */
const MAX_MARKS_ON_LINE = 24
/** Audio buffered ahead at the media server, so that a short stall of this process is inaudible. */
const LEAD = 300 * SAMPLES_PER_MS
const FRAME = 20 * SAMPLES_PER_MS
/** When less than this is buffered and no audio is queued, silence is sent to flush the rest. */
const PAD_BELOW = 100 * SAMPLES_PER_MS
const QUIET_MS = 60
/** Audio that must precede a mark: the media server returns a mark without audio at once. */
const MARK_NEEDS = 30 * SAMPLES_PER_MS
/** Wait after the last audio before a mark that the media server lost is returned, ms. */
const LOST_MARK_MS = 2_000

const BLOCK_BYTES = 8_192

interface Mark {
  readonly name: string
  /** Number of samples before the mark. */
  readonly at: number
}

/** Samples that the media server buffers before it starts; later it buffers GATHER at a time. */
const FIRST_GATHER = 160 * SAMPLES_PER_MS
const GATHER = 80 * SAMPLES_PER_MS

/**
 * Playout queue of a customer's stream. The media server gets audio only shortly before it plays,
 * so a mark is returned when the audio before it has played, and `clear` has little to drop there.
 */
export class Playout {
  readonly #line: PlayoutLine
  readonly #onMark: (name: string) => void
  readonly #held = new ByteQueue()
  readonly #marks = new PlayoutMarks()
  readonly #run = new LineRun()
  /** Samples received so far; `#given` counts those sent to the media server. */
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
   * Queues µ-law audio at 8 kHz. Returns false and drops it when ten minutes are queued. `now` is a
   * monotonic time.
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
   * Queues a mark; `onMark` returns it once the audio before it has played. Returns false when too
   * many marks are queued.
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

  /** Handles a mark that the media server returned: the audio before it has played. */
  markReturned(id: string): void {
    const name = this.#marks.takeFromLine(id)
    if (name !== undefined) this.#onMark(name) // otherwise the mark was cleared meanwhile
  }

  /** Sends the next audio to the media server. Called every 20 ms. */
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

  /** Sends one mark or one piece of audio; false when nothing is due. */
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

  /** Flushes the media server's buffer with silence. */
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

  /** Returns the remaining marks when nothing plays: they wait only for the marks before them. */
  #returnRest(now: number): void {
    if (this.#marks.onLineCount > 0 && now - this.#quietAt < LOST_MARK_MS) return
    for (const name of this.#marks.takeAll()) this.#onMark(name)
  }
}

/** Audio sent to the media server since the last silence, in samples. */
class LineRun {
  #given = 0
  #gathering = 0
  #gather = FIRST_GATHER
  #begunAt: number | undefined

  /** True while no audio was sent. */
  get isEmpty(): boolean {
    return this.#given === 0
  }

  /** True once the media server has buffered enough to play. */
  get isPlaying(): boolean {
    return this.#begunAt !== undefined
  }

  /** Number of samples that the media server buffers before it plays on. */
  get gather(): number {
    return this.#gather
  }

  /** Number of samples sent but not played yet. */
  lead(now: number): number {
    const begunAt = this.#begunAt
    return this.#given - (begunAt === undefined ? 0 : (now - begunAt) * SAMPLES_PER_MS)
  }

  /** The part of `lead` that the media server plays without further audio. */
  playable(now: number): number {
    return this.lead(now) - this.#gathering
  }

  give(samples: number, now: number): void {
    this.#given += samples
    this.#gathering += samples
    if (this.#gathering < this.#gather) return
    this.#gathering = 0
    this.#gather = GATHER
    this.#begunAt ??= now
  }

  /** Ends the run: all audio has played. */
  end(): void {
    this.#given = 0
    this.#gathering = 0
    this.#begunAt = undefined
  }

  /** Clears the run: all audio was dropped, and the media server buffers as at the start. */
  clear(): void {
    this.end()
    this.#gather = FIRST_GATHER
  }
}

/**
 * A customer's marks that were not returned yet. A mark is queued here, then sent to the media
 * server under an internal id.
 */
class PlayoutMarks {
  readonly #held: Mark[] = []
  readonly #onLine = new Map<string, string>()
  #count = 0

  get size(): number {
    return this.#held.length + this.#onLine.size
  }

  get onLineCount(): number {
    return this.#onLine.size
  }

  /** Position of the next queued mark, in samples. */
  get nextAt(): number | undefined {
    return this.#held[0]?.at
  }

  hold(name: string, at: number): void {
    this.#held.push({ name, at })
  }

  /** Sends the next queued mark; returns its internal id. */
  putOnLine(): string | undefined {
    const mark = this.#held.shift()
    if (mark === undefined) return undefined
    this.#count += 1
    const id = String(this.#count)
    this.#onLine.set(id, mark.name)
    return id
  }

  /** Returns the name of a mark that the media server returned; undefined when it was cleared. */
  takeFromLine(id: string): string | undefined {
    const name = this.#onLine.get(id)
    this.#onLine.delete(id)
    return name
  }

  /** Removes and returns all marks, in order. */
  takeAll(): readonly string[] {
    const names = [...this.#onLine.values(), ...this.#held.map(({ name }) => name)]
    this.#onLine.clear()
    this.#held.length = 0
    return names
  }
}

/** A byte queue in blocks, without an allocation per piece. */
class ByteQueue {
  readonly #blocks: Buffer[] = []
  /** The read position in the first block; `#end` is the write position in the last one. */
  #start = 0
  #end = BLOCK_BYTES
  #length = 0

  get length(): number {
    return this.#length
  }

  push(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      if (this.#end === BLOCK_BYTES) {
        this.#blocks.push(Buffer.allocUnsafe(BLOCK_BYTES))
        this.#end = 0
      }
      const count = Math.min(BLOCK_BYTES - this.#end, bytes.length - done)
      this.#blocks.at(-1)?.set(bytes.subarray(done, done + count), this.#end)
      this.#end += count
      done += count
    }
    this.#length += bytes.length
  }

  /** Removes and returns the first `count` bytes, or all when there are fewer. */
  shift(count: number): Buffer {
    const taken = Buffer.allocUnsafe(Math.min(count, this.#length))
    for (let done = 0; done < taken.length; ) {
      const step = Math.min(BLOCK_BYTES - this.#start, taken.length - done)
      this.#blocks[0]?.copy(taken, done, this.#start, this.#start + step)
      this.#start += step
      done += step
      if (this.#start < BLOCK_BYTES) continue
      this.#blocks.shift()
      this.#start = 0
    }
    this.#length -= taken.length
    if (this.#length === 0) this.clear()
    return taken
  }

  clear(): void {
    this.#blocks.length = 0
    this.#start = 0
    this.#end = BLOCK_BYTES
    this.#length = 0
  }
}
