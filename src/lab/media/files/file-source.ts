/** Plays a WAV file: reads it ahead and resamples it to 8 kHz mono while it plays. */
import { type FileHandle, open } from 'node:fs/promises'
import {
  createSampleReader,
  parseWavHeader,
  type SampleReader,
  type WavFormat,
  WavFormatError,
} from '../codecs/wav.js'
import { SAMPLE_RATE } from '../dsp/frame.js'
import { Resampler } from '../dsp/resampler.js'
import type { AudioSource } from '../model/audio-flow.js'
import type { OpenFiles } from './open-files.js'

/** Size of the first read in bytes: the header and, for most prompts, the whole file. */
const FIRST_BYTES = 256 * 1024

/** The size of a block: at least two seconds of anything up to 16 kHz stereo. */
const BLOCK_BYTES = 128 * 1024

type ReadAheadState = 'ready' | 'waiting' | 'over'

/** Opens a file. Rejects with WavFormatError or a system error, after closing the file. */
export async function openFileSource(
  path: string,
  offsetSamples: number,
  files: OpenFiles,
): Promise<AudioSource> {
  const handle = await files.open(() => open(path, 'r'))
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) throw new WavFormatError('not a file')
    const first = Buffer.allocUnsafe(Math.min(FIRST_BYTES, stat.size))
    const { bytesRead } = await handle.read(first, 0, first.length, 0)
    const format = parseWavHeader(first.subarray(0, bytesRead), stat.size)
    return new FileSource(handle, files, format, first.subarray(0, bytesRead), offsetSamples)
  } catch (error) {
    await files.close(handle)
    throw error
  }
}

class FileSource implements AudioSource {
  readonly #handle: FileHandle
  readonly #files: OpenFiles
  readonly #bytes: ReadAhead
  readonly #readSample: SampleReader
  readonly #resampler: Resampler | undefined
  readonly #unit: number
  /** Number of output samples left; it cuts off the resampler's tail. */
  #left: number

  constructor(
    handle: FileHandle,
    files: OpenFiles,
    format: WavFormat,
    head: Buffer,
    offsetSamples: number,
  ) {
    this.#handle = handle
    this.#files = files
    const unit = format.bytesPerFrame
    const frames = Math.floor(format.dataBytes / unit)
    const skipped = Math.min(frames, Math.round((offsetSamples * format.sampleRate) / SAMPLE_RATE))
    const start = format.dataStart + skipped * unit
    const end = format.dataStart + frames * unit
    const there = Math.max(start, Math.min(end, head.length - ((head.length - start) % unit)))
    this.#unit = unit
    this.#bytes = new ReadAhead(handle, head.subarray(start, there), there, end, unit)
    this.#readSample = createSampleReader(format)
    this.#resampler =
      format.sampleRate === SAMPLE_RATE ? undefined : new Resampler(format.sampleRate)
    this.#left = Math.floor(((frames - skipped) * SAMPLE_RATE) / format.sampleRate)
  }

  read(into: Int16Array, start: number): number {
    const wanted = Math.min(into.length - start, this.#left)
    const written =
      this.#resampler === undefined
        ? this.#copy(into, start, wanted)
        : this.#resample(this.#resampler, into, start, wanted)
    this.#left -= written
    if (written === wanted) return written
    if (this.#bytes.state() !== 'waiting') {
      this.#left = 0 // the file is shorter than it said
      return written
    }
    into.fill(0, start + written)
    return into.length - start
  }

  close(): void {
    this.#left = 0
    void this.#files.close(this.#handle)
  }

  /**
   * Copies samples and returns their number; fewer than wanted when the disk is late or the file ends early.
   */
  #copy(into: Int16Array, start: number, wanted: number): number {
    let written = 0
    while (written < wanted && this.#bytes.state() === 'ready') {
      const { block, offset } = this.#bytes
      const count = Math.min(wanted - written, this.#bytes.unitsReady)
      for (let i = 0; i < count; i++)
        into[start + written + i] = this.#readSample(block, offset + i * this.#unit)
      this.#bytes.advance(count)
      written += count
    }
    return written
  }

  #resample(resampler: Resampler, into: Int16Array, start: number, wanted: number): number {
    let written = 0
    while (written < wanted) {
      while (resampler.isHungry) {
        const state = this.#bytes.state()
        if (state === 'waiting') return written
        resampler.push(
          state === 'over' ? 0 : this.#readSample(this.#bytes.block, this.#bytes.offset),
        )
        if (state === 'ready') this.#bytes.advance(1)
      }
      into[start + written++] = resampler.pull()
    }
    return written
  }
}

/**
 * Reads the bytes of an open file in order, always some seconds ahead of the reader, so that a tick
 * never waits for the disk. There are two blocks: one that is read from, one that is being filled.
 */
class ReadAhead {
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

  /** The current block, to be read at `offset`; valid only while `state` says ready. */
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

  /** Number of units in this block from `offset` on. */
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
      // The file was closed during the read, or the disk failed: treat this as the end of the file.
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
