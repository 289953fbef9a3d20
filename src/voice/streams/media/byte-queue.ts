const BLOCK_BYTES = 8_192

/** A queue of bytes in blocks: no allocation for each small piece. */
export class ByteQueue {
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

  /** Takes the first `count` bytes, or all when there are fewer. */
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
