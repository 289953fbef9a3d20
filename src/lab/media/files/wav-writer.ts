/**
 * Writes a WAV file a tenth of a second at a time, away from the tick; a process that dies loses no
 * more than that. The header counts the audio once a second; a reader takes the file's length.
 */
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { WAV_HEAD_BYTES, wavHead } from '../../../platform/audio/wav-head.js'
import { SAMPLE_RATE } from '../dsp/frame.js'
import type { OpenFiles } from './open-files.js'

const BLOCKS_PER_SECOND = 10
/** Maximum number of queued blocks, half a minute of audio; a disk further behind will not catch up. */
const MAX_BLOCKS_WAITING = 300
/** Maximum number of data bytes: length fields have 32 bits and include 36 bytes of the header. */
const MAX_DATA_BYTES = 0xffff_ffff - WAV_HEAD_BYTES

export interface WavWriterEvents {
  onOpened(): void
  /** Called once; nothing more is written. */
  onFailed(error: Error): void
}

export class WavWriter {
  readonly #events: WavWriterEvents
  readonly #files: OpenFiles
  readonly #path: string
  readonly #channels: number
  readonly #waiting: Int16Array[] = []
  #block: Int16Array
  /** Resolves when the file is complete or writing has failed. */
  #work: Promise<void>
  #isClosing = false
  #isBroken = false
  /** Number of samples in the current block. */
  #filled = 0
  #dataBytes = 0
  /** The data length in bytes that the file's header states. */
  #countedBytes = 0
  #wake = noop

  constructor(path: string, channels: number, files: OpenFiles, events: WavWriterEvents) {
    this.#path = path
    this.#channels = channels
    this.#files = files
    this.#events = events
    this.#block = this.#makeBlock()
    this.#work = this.#run()
  }

  append(samples: Int16Array): void {
    if (this.#isBroken || this.#isClosing) return
    let at = 0
    while (at < samples.length) {
      const count = Math.min(samples.length - at, this.#block.length - this.#filled)
      this.#block.set(samples.subarray(at, at + count), this.#filled)
      this.#filled += count
      at += count
      if (this.#filled === this.#block.length) this.#turnIn()
    }
  }

  /** Writes the remaining audio. Resolves when the file is complete. Never rejects; see `onFailed`. */
  close(): Promise<void> {
    if (!this.#isClosing) {
      this.#turnIn()
      this.#isClosing = true
      this.#wake()
    }
    return this.#work
  }

  #turnIn(): void {
    if (this.#filled === 0) return
    this.#waiting.push(this.#block.subarray(0, this.#filled))
    this.#block = this.#makeBlock()
    this.#filled = 0
    this.#wake()
  }

  #makeBlock(): Int16Array {
    return new Int16Array((SAMPLE_RATE / BLOCKS_PER_SECOND) * this.#channels)
  }

  async #run(): Promise<void> {
    try {
      await mkdir(dirname(this.#path), { recursive: true })
      const handle = await this.#files.open(() => open(this.#path, 'w'))
      try {
        await this.#writeAll(handle)
      } finally {
        await this.#files.close(handle)
      }
    } catch (error) {
      this.#isBroken = true
      this.#waiting.length = 0
      this.#events.onFailed(error instanceof Error ? error : new Error(String(error)))
    }
  }

  async #writeAll(handle: FileHandle): Promise<void> {
    await this.#writeHeader(handle)
    this.#events.onOpened()
    for (;;) {
      const block = this.#waiting.shift()
      if (block === undefined) {
        if (this.#isClosing) return this.#writeHeader(handle)
        await this.#nextWork()
        continue
      }
      if (this.#waiting.length > MAX_BLOCKS_WAITING) throw new Error('the disk is too slow')
      await this.#writeBlock(handle, block)
      const second = 2 * SAMPLE_RATE * this.#channels
      if (this.#dataBytes - this.#countedBytes >= second) await this.#writeHeader(handle)
    }
  }

  #nextWork(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /**
   * Writes samples as they lie in memory, which is little-endian on every machine that Node runs
   * on.
   */
  async #writeBlock(handle: FileHandle, block: Int16Array): Promise<void> {
    const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
    const dataBytes = this.#dataBytes
    if (dataBytes + bytes.length > MAX_DATA_BYTES) throw new Error('the WAV file is full')
    await writeFully(handle, bytes, WAV_HEAD_BYTES + dataBytes)
    this.#dataBytes += bytes.length
  }

  async #writeHeader(handle: FileHandle): Promise<void> {
    await writeFully(handle, wavHead(this.#channels, SAMPLE_RATE, this.#dataBytes), 0)
    this.#countedBytes = this.#dataBytes
  }
}

async function writeFully(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    const result = await handle.write(bytes, written, bytes.length - written, position + written)
    written += result.bytesWritten
  }
}

function noop(): void {
  // nobody waits yet
}
