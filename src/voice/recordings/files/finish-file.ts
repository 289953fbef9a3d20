/**
 * Joins the parts of a recording into one WAV file, cuts it to the maximum length, and trims
 * silence at both ends on request. It can be repeated after a crash at any point.
 */
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { WAV_HEAD_BYTES, wavHead } from '../../../platform/audio/wav-head.js'
import { readWavPart, sizeOf, type WavPart } from './wav-part.js'

export type FinishedFile =
  | { readonly type: 'finished'; readonly durationMs: number }
  /** The parts contain no audio. */
  | { readonly type: 'empty' }
  | { readonly type: 'silent' }

export interface FinishRequest {
  /** Path of the finished file; `partPath` returns the path of each part. */
  readonly path: string
  readonly partPath: (index: number) => string
  readonly trim: 'trim-silence' | 'do-not-trim'
  /**
   * How silence is treated. `nothing`: an entirely silent recording gets no file, trimmed or not.
   */
  readonly silence: 'kept' | 'nothing'
  readonly maxMs: number | undefined
  /** The recorded side of the call; absent when both sides are recorded. */
  readonly side?: KeptSide | undefined
}

/** A byte range of a part that belongs to the recording. */
interface Piece {
  readonly part: WavPart
  readonly from: number
  readonly to: number
}

/** The side to keep, as one channel, or in its own channel of two beside silence. */
interface KeptSide {
  readonly channel: 0 | 1
  readonly as: 'mono' | 'dual'
}

const FRAME_BYTES = 4

/** Quietest peak that counts as sound, about -42 dBFS: above line noise, below a whisper. */
const QUIET_PEAK = 250
const BLOCK_MS = 20
/** Number of blocks per read. */
const BLOCKS = 100

interface Span {
  readonly from: number
  readonly to: number
}

const NO_SPACE: readonly unknown[] = ['ENOSPC', 'EDQUOT']

export async function finishFile(request: FinishRequest): Promise<FinishedFile> {
  const { path, partPath } = request
  const done = await readWavPart(path)
  if (done !== undefined) {
    await removeParts(partPath)
    return { type: 'finished', durationMs: durationOf(done, done.dataBytes) }
  }
  const parts = await readSide(request)
  const [first] = parts
  if (first === undefined) return { type: 'empty' }
  const cut = cutTo(wholeOf(parts), maxBytesOf(first, request.maxMs))
  const isJudged = request.trim === 'trim-silence' || request.silence === 'nothing'
  const sound = isJudged ? await trimmed(cut) : cut
  if (lengthOf(sound) === 0) return { type: 'silent' }
  const pieces = request.trim === 'trim-silence' ? sound : cut
  const only = pieces.length === 1 && parts.length === 1 ? pieces[0] : undefined
  const bytes = await writeFinished(pieces, only, first, path)
  await removeParts(partPath)
  return { type: 'finished', durationMs: durationOf(first, bytes) }
}

/** Writes the file and resolves with its number of audio bytes. */
async function writeFinished(
  pieces: readonly Piece[],
  only: Piece | undefined,
  format: WavPart,
  path: string,
): Promise<number> {
  const inPlace = format.dataStart === WAV_HEAD_BYTES ? only : undefined
  if (inPlace?.from !== 0) {
    try {
      await join(pieces, format, path)
      return lengthOf(pieces)
    } catch (error) {
      // A partial file must not take the last disk space from active recordings.
      await rm(temporary(path), { force: true })
      // Keeping the leading silence needs no disk space.
      if (inPlace === undefined || !isDiskFull(error)) throw error
    }
  }
  await finishInPlace(inPlace, path)
  return inPlace.to
}

/** Deletes the finished file and every part. */
export async function removeFiles(
  path: string,
  partPath: (index: number) => string,
): Promise<void> {
  await rm(path, { force: true })
  await rm(temporary(path), { force: true })
  await removeParts(partPath)
}

/** Reads the parts after the other side was removed from them. */
async function readSide({ partPath, side }: FinishRequest): Promise<readonly WavPart[]> {
  const parts = await readParts(partPath)
  const both = side === undefined ? [] : parts.filter(({ channels }) => channels === 2)
  if (side === undefined || both.length === 0) return parts
  // Joining several parts needs disk space in any case.
  const isOnlyPart = parts.length === 1
  for (const part of both) {
    try {
      await keepSide(part, side)
    } catch (error) {
      if (!isOnlyPart || !isDiskFull(error)) throw error
      await silenceOtherSide(part, side)
    }
  }
  return await readParts(partPath)
}

/** True for a write error that means a full disk or an exceeded disk quota. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && NO_SPACE.includes(error.code)
}

/**
 * Replaces a part of two channels by one with the kept side only. The file is replaced atomically,
 * so it can be repeated after a crash.
 */
export async function keepSide(part: WavPart, side: KeptSide): Promise<void> {
  const path = `${part.path}.tmp`
  const channels = side.as === 'mono' ? 1 : 2
  try {
    const file = await open(path, 'w')
    try {
      await file.writeFile(wavHead(channels, part.rate, (part.dataBytes / 2) * channels))
      for await (const frames of framesOf(part)) await file.writeFile(sideOf(frames, side))
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
  await rename(path, part.path)
}

/**
 * Overwrites the other side with silence in place, which needs no space on a full disk. The part
 * keeps both channels. It can be repeated after a crash.
 */
async function silenceOtherSide(part: WavPart, side: KeptSide): Promise<void> {
  const file = await open(part.path, 'r+')
  try {
    let at = part.dataStart
    for await (const frames of framesOf(part)) {
      const bytes = sideOf(frames, { ...side, as: 'dual' })
      await file.write(bytes, 0, bytes.length, at)
      at += bytes.length
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Yields the audio in whole frames. */
async function* framesOf({ path, dataStart, dataBytes }: WavPart): AsyncGenerator<Buffer> {
  const source = createReadStream(path, { start: dataStart, end: dataStart + dataBytes - 1 })
  let rest = Buffer.alloc(0)
  for await (const chunk of source) {
    const bytes = Buffer.concat([rest, chunk as Buffer]) // a stream without an encoding
    const whole = bytes.length - (bytes.length % FRAME_BYTES)
    rest = bytes.subarray(whole)
    yield bytes.subarray(0, whole)
  }
}

function sideOf(frames: Buffer, { channel, as }: KeptSide): Buffer {
  const kept = Buffer.alloc(as === 'mono' ? frames.length / 2 : frames.length)
  for (let at = 2 * channel; at < frames.length; at += FRAME_BYTES)
    frames.copy(kept, as === 'mono' ? (at - 2 * channel) / 2 : at, at, at + 2)
  return kept
}

async function readParts(partPath: (index: number) => string): Promise<readonly WavPart[]> {
  const parts: WavPart[] = []
  for (let index = 0; (await sizeOf(partPath(index))) !== undefined; index += 1) {
    const part = await readWavPart(partPath(index))
    if (part !== undefined) parts.push(part)
  }
  return parts
}

/** Deletes the last part first, so that a crash leaves no gap in the numbers. */
async function removeParts(partPath: (index: number) => string): Promise<void> {
  let count = 0
  while ((await sizeOf(partPath(count))) !== undefined) count += 1
  for (let index = count - 1; index >= 0; index -= 1) await rm(partPath(index), { force: true })
}

const wholeOf = (parts: readonly WavPart[]): readonly Piece[] =>
  parts.map((part) => ({ part, from: 0, to: part.dataBytes }))

const lengthOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { from, to }) => sum + to - from, 0)

function cutTo(pieces: readonly Piece[], maxBytes: number): readonly Piece[] {
  let left = maxBytes
  return pieces.flatMap((piece) => {
    const length = Math.min(left, piece.to - piece.from)
    left -= length
    return length > 0 ? [{ ...piece, to: piece.from + length }] : []
  })
}

async function trimmed(pieces: readonly Piece[]): Promise<readonly Piece[]> {
  const heard: Piece[] = []
  for (const piece of pieces) {
    const sound = await framesOfSound(piece.part, piece.from, piece.to)
    heard.push({ ...piece, ...(sound ?? { from: piece.to }) })
  }
  const first = heard.findIndex(({ from, to }) => to > from)
  const last = heard.findLastIndex(({ from, to }) => to > from)
  // Silence between the first and the last sound is kept.
  return pieces.slice(first, last + 1).map((piece, index, all) => ({
    ...piece,
    from: index === 0 ? (heard[first]?.from ?? piece.from) : piece.from,
    to: index === all.length - 1 ? (heard[last]?.to ?? piece.to) : piece.to,
  }))
}

/**
 * Returns the byte range from the first sound to the last, in steps of 20 ms; undefined for
 * silence.
 */
async function framesOfSound(part: WavPart, from: number, to: number): Promise<Span | undefined> {
  const block = ((part.rate * BLOCK_MS) / 1_000) * 2 * part.channels
  const file = await open(part.path, 'r')
  try {
    const first = await firstSound(file, part, { from, to }, block)
    if (first === undefined) return undefined
    return { from: first, to: await lastSound(file, part, { from: first, to }, block) }
  } finally {
    await file.close()
  }
}

async function firstSound(
  file: FileHandle,
  part: WavPart,
  { from, to }: Span,
  block: number,
): Promise<number | undefined> {
  for (let at = from; at < to; at += block * BLOCKS) {
    const bytes = await read(file, part, at, Math.min(to, at + block * BLOCKS))
    for (let start = 0; start < bytes.length; start += block)
      if (isLoud(bytes.subarray(start, start + block))) return at + start
  }
  return undefined
}

/** Returns the end of the last sound in a range that contains sound. */
async function lastSound(
  file: FileHandle,
  part: WavPart,
  { from, to }: Span,
  block: number,
): Promise<number> {
  const count = Math.ceil((to - from) / block)
  for (let end = count; end > 0; end -= BLOCKS) {
    const begin = Math.max(0, end - BLOCKS)
    const bytes = await read(file, part, from + begin * block, Math.min(to, from + end * block))
    for (let index = end - begin - 1; index >= 0; index -= 1)
      if (isLoud(bytes.subarray(index * block, (index + 1) * block)))
        return Math.min(to, from + (begin + index + 1) * block)
  }
  return from
}

async function read(file: FileHandle, part: WavPart, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.alloc(to - from)
  const { bytesRead } = await file.read(bytes, 0, bytes.length, part.dataStart + from)
  return bytes.subarray(0, bytesRead)
}

function isLoud(bytes: Buffer): boolean {
  for (let at = 0; at + 2 <= bytes.length; at += 2)
    if (Math.abs(bytes.readInt16LE(at)) > QUIET_PEAK) return true
  return false
}

/** Rewrites only the header, which needs no space on a full disk. */
async function finishInPlace({ part, to }: Piece, path: string): Promise<void> {
  const file = await open(part.path, 'r+')
  try {
    await file.write(wavHead(part.channels, part.rate, to), 0, WAV_HEAD_BYTES, 0)
    await file.truncate(WAV_HEAD_BYTES + to)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(part.path, path)
}

async function join(pieces: readonly Piece[], format: WavPart, path: string): Promise<void> {
  const file = await open(temporary(path), 'w')
  try {
    await file.writeFile(wavHead(format.channels, format.rate, lengthOf(pieces)))
    for (const piece of pieces) await append(file, piece)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary(path), path)
}

async function append(file: FileHandle, { part, from, to }: Piece): Promise<void> {
  const start = part.dataStart + from
  const source = createReadStream(part.path, { start, end: part.dataStart + to - 1 })
  for await (const chunk of source) await file.writeFile(chunk as Buffer)
}

function maxBytesOf({ rate, channels }: WavPart, maxMs: number | undefined): number {
  if (maxMs === undefined) return Number.POSITIVE_INFINITY
  return Math.round((rate * maxMs) / 1_000) * channels * 2
}

const durationOf = ({ rate, channels }: WavPart, bytes: number): number =>
  Math.round((bytes / (2 * channels * rate)) * 1_000)

const temporary = (path: string): string => `${path}.tmp`
