/** Finds the first and the last sound in a recording. */
import { type FileHandle, open } from 'node:fs/promises'
import type { WavPart } from './wav-part.js'

/**
 * The quietest sound: about -42 dB below full scale. Line noise stays under it, a whisper does not.
 */
const QUIET_PEAK = 250
const BLOCK_MS = 20
/** The number of blocks that one read takes. */
const BLOCKS = 100

interface Span {
  readonly from: number
  readonly to: number
}

/** The bytes from the first sound to the last, in steps of 20 ms; undefined for silence. */
export async function framesOfSound(
  part: WavPart,
  from: number,
  to: number,
): Promise<Span | undefined> {
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

/** The end of the last sound in a range that holds one. */
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
