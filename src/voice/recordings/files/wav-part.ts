/** A WAV file as the media server left it: perhaps killed before it counted what it wrote. */
import { open, stat } from 'node:fs/promises'

export interface WavPart {
  readonly path: string
  readonly channels: number
  readonly rate: number
  readonly dataStart: number
  /** What is there, whatever the header says; whole frames of 16-bit samples. */
  readonly dataBytes: number
}

export const HEADER_BYTES = 44
const HEAD_BYTES = 4_096

/** Undefined when there is no file, or nothing in it. */
export async function readWavPart(path: string): Promise<WavPart | undefined> {
  const size = await sizeOf(path)
  if (size === undefined || size <= HEADER_BYTES) return undefined
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

export function wavHeader(channels: number, rate: number, dataBytes: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + dataBytes, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(channels, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * channels * 2, 28)
  header.writeUInt16LE(channels * 2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(dataBytes, 40)
  return header
}

function partOf(path: string, head: Buffer, size: number): WavPart | undefined {
  let format: { channels: number; rate: number } | undefined
  for (let at = 12; at + 8 <= head.length; ) {
    const name = head.toString('latin1', at, at + 4)
    const start = at + 8
    if (name === 'fmt ' && start + 16 <= head.length)
      format = { channels: head.readUInt16LE(start + 2), rate: head.readUInt32LE(start + 4) }
    if (name === 'data') {
      if (format === undefined || format.channels < 1 || format.rate < 1) return undefined
      const frame = 2 * format.channels
      const dataBytes = Math.floor((size - start) / frame) * frame
      return dataBytes > 0 ? { path, ...format, dataStart: start, dataBytes } : undefined
    }
    const length = head.readUInt32LE(at + 4)
    at = start + length + (length % 2)
  }
  return undefined
}
