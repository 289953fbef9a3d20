/**
 * A ring buffer for one call's audio in memory shared with the detection thread. One side writes,
 * the other reads, without a message or an allocation per packet.
 */

/** Capacity in samples: about 4 s. Audio that is older has no use. */
const CAPACITY = 1 << 15
const MASK = CAPACITY - 1
const HEADER_BYTES = 8
const WRITTEN = 0
const READ = 1

export class SampleRing {
  readonly memory: SharedArrayBuffer
  readonly #counts: Int32Array
  readonly #samples: Int16Array

  /** Allocates the shared memory unless the other side has passed it. */
  constructor(memory = new SharedArrayBuffer(HEADER_BYTES + 2 * CAPACITY)) {
    this.memory = memory
    this.#counts = new Int32Array(memory, 0, 2)
    this.#samples = new Int16Array(memory, HEADER_BYTES, CAPACITY)
  }

  /** Number of samples written but not read. */
  get waiting(): number {
    return (Atomics.load(this.#counts, WRITTEN) - Atomics.load(this.#counts, READ)) | 0
  }

  /** Writes all samples; false when they do not fit, and then none is written. */
  write(samples: Int16Array): boolean {
    if (this.waiting + samples.length > CAPACITY) return false
    const written = Atomics.load(this.#counts, WRITTEN)
    for (let i = 0; i < samples.length; i++) this.#samples[(written + i) & MASK] = samples[i] ?? 0
    Atomics.store(this.#counts, WRITTEN, (written + samples.length) | 0)
    return true
  }

  /** Reads up to the length of `frame`. Returns the number of samples read. */
  read(frame: Int16Array): number {
    const read = Atomics.load(this.#counts, READ)
    const count = Math.min(this.waiting, frame.length)
    for (let i = 0; i < count; i++) frame[i] = this.#samples[(read + i) & MASK] ?? 0
    Atomics.store(this.#counts, READ, (read + count) | 0)
    return count
  }
}
