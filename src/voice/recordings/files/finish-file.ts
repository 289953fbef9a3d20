/**
 * Makes one WAV file from the parts of a recording, in order. It cuts the file to its maximum
 * length, and trims the silence around it on request. It can be repeated after an interruption at
 * any moment.
 */
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { WAV_HEAD_BYTES, wavHead } from '../../../platform/audio/wav-head.js'
import { isDiskFull } from './disk-full.js'
import { type KeptSide, keepSide, silenceOtherSide } from './keep-side.js'
import { framesOfSound } from './silence.js'
import { readWavPart, sizeOf, type WavPart } from './wav-part.js'

export type FinishedFile =
  | { readonly type: 'finished'; readonly durationMs: number }
  /** The parts hold no audio. */
  | { readonly type: 'empty' }
  | { readonly type: 'silent' }

export interface FinishRequest {
  /** The path of the finished file. `partPath` names each possible part. */
  readonly path: string
  readonly partPath: (index: number) => string
  readonly trim: 'trim-silence' | 'do-not-trim'
  /**
   * The meaning of silence. `nothing`: an entirely silent recording has no file, trimmed or not.
   */
  readonly silence: 'kept' | 'nothing'
  readonly maxMs: number | undefined
  /** The one side of the call that is recorded; absent when both are. */
  readonly side?: KeptSide | undefined
}

/** The range of a part's bytes that belongs to the recording. */
interface Piece {
  readonly part: WavPart
  readonly from: number
  readonly to: number
}

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

/** Resolves with the bytes of audio in the file. */
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
      // Half a file would take the last space from those that write.
      await rm(temporary(path), { force: true })
      // The silence before the first sound stays in the file: that needs no space.
      if (inPlace === undefined || !isDiskFull(error)) throw error
    }
  }
  await finishInPlace(inPlace, path)
  return inPlace.to
}

/** Removes the finished file and every part. */
export async function removeFiles(
  path: string,
  partPath: (index: number) => string,
): Promise<void> {
  await rm(path, { force: true })
  await rm(temporary(path), { force: true })
  await removeParts(partPath)
}

/** Reads the parts once the side that is not recorded is gone from them. */
async function readSide({ partPath, side }: FinishRequest): Promise<readonly WavPart[]> {
  const parts = await readParts(partPath)
  const both = side === undefined ? [] : parts.filter(({ channels }) => channels === 2)
  if (side === undefined || both.length === 0) return parts
  // Several parts have to be joined, which needs space anyway.
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

async function readParts(partPath: (index: number) => string): Promise<readonly WavPart[]> {
  const parts: WavPart[] = []
  for (let index = 0; (await sizeOf(partPath(index))) !== undefined; index += 1) {
    const part = await readWavPart(partPath(index))
    if (part !== undefined) parts.push(part)
  }
  return parts
}

/** Removes the parts from the last one on: after an interruption the rest still has no gap. */
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
  // Silence between the first and the last sound stays.
  return pieces.slice(first, last + 1).map((piece, index, all) => ({
    ...piece,
    from: index === 0 ? (heard[first]?.from ?? piece.from) : piece.from,
    to: index === all.length - 1 ? (heard[last]?.to ?? piece.to) : piece.to,
  }))
}

/** Writes only the header, which needs no space on a full disk. */
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
