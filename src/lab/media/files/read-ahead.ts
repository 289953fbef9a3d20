/**
 * Reads the bytes of an open file in order, always some seconds ahead of the reader, so that a tick
 * never waits for the disk. There are two blocks: one that is read from, one that is being filled.
 */
import type { FileHandle } from 'node:fs/promises'

/** The size of a block: at least two seconds of anything up to 16 kHz stereo. */
const BLOCK_BYTES = 128 * 1024

export type ReadAheadState = 'ready' | 'waiting' | 'over'

export class ReadAhead {
  readonly #handle: FileHandle
  readonly #unit: number
  /** The position of the next block in the file, and the end of the data. */
  readonly #range: { next: number; readonly end: number }
  #front: Buffer
  #at = 0
  #back: Buffer | undefined
  #isFilling = false

  /** Reads on from `next`. `unit`: bytes that are never split over two blocks. */
  constructor(handle: FileHandle, first: Buffer, next: number, end: number, unit: number) {
    this.#handle = handle
    this.#unit = unit
    this.#front = first
    this.#range = { next, end }
    this.#fill()
  }

  /** The block to read from, at `offset`; valid while `state` says ready. */
  get block(): Buffer {
    return this.#front
  }

  get offset(): number {
    return this.#at
  }

  /** Says whether another unit is there; moves on to the next block where necessary. */
  state(): ReadAheadState {
    if (this.#at + this.#unit <= this.#front.length) return 'ready'
    if (this.#back !== undefined) {
      this.#front = this.#back
      this.#at = 0
      this.#back = undefined
      this.#fill()
      return this.state()
    }
    return this.#isFilling ? 'waiting' : 'over'
  }

  /** The number of units in this block from `offset` on. */
  get unitsReady(): number {
    return Math.floor((this.#front.length - this.#at) / this.#unit)
  }

  advance(units: number): void {
    this.#at += units * this.#unit
  }

  #fill(): void {
    const left = this.#range.end - this.#range.next
    const most = BLOCK_BYTES - (BLOCK_BYTES % this.#unit)
    const bytes = Math.min(most, left - (left % this.#unit))
    if (bytes <= 0) return
    this.#isFilling = true
    void this.#readBlock(bytes)
  }

  async #readBlock(bytes: number): Promise<void> {
    const start = this.#range.next
    this.#range.next += bytes
    try {
      const block = Buffer.allocUnsafe(bytes)
      const { bytesRead } = await this.#handle.read(block, 0, bytes, start)
      if (bytesRead > 0) this.#back = block.subarray(0, bytesRead)
    } catch (error) {
      // Closed while we read (a break), or the disk failed: it ends here, as if it were shorter.
      if (!this.#isClosed(error)) process.emitWarning(`reading a media file: ${String(error)}`)
      this.#range.next = this.#range.end
    } finally {
      this.#isFilling = false
    }
  }

  #isClosed(error: unknown): boolean {
    return error instanceof Error && 'code' in error && error.code === 'EBADF'
  }
}
