/**
 * The audio of one call on its way to the detection thread, in memory that both threads see. One side
 * writes and the other reads: no message and no allocation for a packet.
 */

/** Four seconds. A thread that is later than that has no use for the audio. */
const CAPACITY = 1 << 15
const MASK = CAPACITY - 1
const HEADER_BYTES = 8
const WRITTEN = 0
const READ = 1

export class SampleRing {
  readonly memory: SharedArrayBuffer
  readonly #counts: Int32Array
  readonly #samples: Int16Array

  /** Without memory of the other side's, it makes its own. */
  constructor(memory = new SharedArrayBuffer(HEADER_BYTES + 2 * CAPACITY)) {
    this.memory = memory
    this.#counts = new Int32Array(memory, 0, 2)
    this.#samples = new Int16Array(memory, HEADER_BYTES, CAPACITY)
  }

  /** The number of samples that were written and not read. */
  get waiting(): number {
    return (Atomics.load(this.#counts, WRITTEN) - Atomics.load(this.#counts, READ)) | 0
  }

  /** Writes samples; false when there is no room for all of them, and then none is written. */
  write(samples: Int16Array): boolean {
    if (this.waiting + samples.length > CAPACITY) return false
    const written = Atomics.load(this.#counts, WRITTEN)
    for (let i = 0; i < samples.length; i++) this.#samples[(written + i) & MASK] = samples[i] ?? 0
    Atomics.store(this.#counts, WRITTEN, (written + samples.length) | 0)
    return true
  }

  /** Reads into `frame` as many samples as there are, at most its length. Returns their number. */
  read(frame: Int16Array): number {
    const read = Atomics.load(this.#counts, READ)
    const count = Math.min(this.waiting, frame.length)
    for (let i = 0; i < count; i++) frame[i] = this.#samples[(read + i) & MASK] ?? 0
    Atomics.store(this.#counts, READ, (read + count) | 0)
    return count
  }
}
