/** Leaves one side of a call in a part that was recorded with both. */
import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { wavHead } from '../../../platform/audio/wav-head.js'
import type { WavPart } from './wav-part.js'

/** The side to keep: by itself in one channel, or in its place of two, beside silence. */
export interface KeptSide {
  readonly channel: 0 | 1
  readonly as: 'mono' | 'dual'
}

const FRAME_BYTES = 4

/**
 * Rewrites a part of two channels. It can be repeated after an interruption at any moment: the part is
 * replaced as a whole.
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
 * Writes silence over the other side, in the part itself: that needs no space on a full disk. The part
 * keeps both channels. It can be repeated after an interruption at any moment.
 */
export async function silenceOtherSide(part: WavPart, side: KeptSide): Promise<void> {
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

/** Reads the audio in whole frames. */
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
