/**
 * Reads a WAV file that a media server wrote. After a crash of the media server, the length in its
 * header is wrong.
 */
import { open, stat } from 'node:fs/promises'
import { readWavHead, WAV_HEAD_BYTES } from '../../../platform/audio/wav-head.js'

export interface WavPart {
  readonly path: string
  readonly channels: number
  readonly rate: number
  readonly dataStart: number
  /**
   * Number of audio bytes in whole frames of 16-bit samples, from the file size, not from the
   * header.
   */
  readonly dataBytes: number
}

const HEAD_BYTES = 4_096

/** Resolves with undefined when the file is missing or has no audio. */
export async function readWavPart(path: string): Promise<WavPart | undefined> {
  const size = await sizeOf(path)
  if (size === undefined || size <= WAV_HEAD_BYTES) return undefined
  const head = Buffer.alloc(HEAD_BYTES)
  const file = await open(path, 'r')
  try {
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0)
    return partOf(path, head.subarray(0, bytesRead), size)
  } finally {
    await file.close()
  }
}

export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function partOf(path: string, bytes: Buffer, size: number): WavPart | undefined {
  const head = readWavHead(bytes)
  if (head?.format === undefined) return undefined
  const { dataStart, format } = head
  const { channels, rate } = format
  if (channels < 1 || rate < 1) return undefined
  const frame = 2 * channels
  const dataBytes = Math.floor((size - dataStart) / frame) * frame
  return dataBytes > 0 ? { path, channels, rate, dataStart, dataBytes } : undefined
}
