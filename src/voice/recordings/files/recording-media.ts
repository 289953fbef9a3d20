/** Reads the bytes of a finished recording for a download, unchanged or mixed to mono. */
import { createReadStream } from 'node:fs'
import { WAV_HEAD_BYTES, wavHead } from '../../../platform/audio/wav-head.js'
import { readWavPart, type WavPart } from './wav-part.js'

export interface RecordingMedia {
  readonly channels: number
  readonly rate: number
  /** Byte offset of the first sample. */
  readonly dataStart: number
  readonly bytes: number
  /** True when two channels were mixed into one. */
  readonly isMixed: boolean
  /** Reads the bytes from `start` to `end`, both included, as with HTTP ranges. */
  readonly read: (start: number, end: number) => AsyncIterable<Uint8Array>
}

/** Resolves with undefined when the file does not exist. */
export async function openRecordingMedia(
  path: string,
  mix: 'as-recorded' | 'one-channel',
): Promise<RecordingMedia | undefined> {
  const file = await readWavPart(path)
  if (file === undefined) return undefined
  if (mix === 'one-channel' && file.channels === 2) {
    const bytes = WAV_HEAD_BYTES + file.dataBytes / 2
    const read = (start: number, end: number) => readMixed(file, start, end)
    return { channels: 1, rate: file.rate, dataStart: WAV_HEAD_BYTES, bytes, isMixed: true, read }
  }
  return {
    channels: file.channels,
    rate: file.rate,
    dataStart: file.dataStart,
    isMixed: false,
    bytes: file.dataStart + file.dataBytes,
    read: (start, end) => createReadStream(path, { start, end }),
  }
}

async function* readMixed(file: WavPart, start: number, end: number): AsyncGenerator<Uint8Array> {
  const header = wavHead(1, file.rate, file.dataBytes / 2)
  if (start < WAV_HEAD_BYTES) yield header.subarray(start, end + 1)
  const from = Math.max(0, start - WAV_HEAD_BYTES)
  const to = end + 1 - WAV_HEAD_BYTES
  if (to <= from) return
  // Reads whole samples, then cuts the bytes outside the range.
  const firstSample = Math.floor(from / 2)
  const lastSample = Math.ceil(to / 2)
  let at = firstSample * 2
  for await (const mixed of mixedSamples(file, firstSample, lastSample)) {
    yield mixed.subarray(Math.max(0, from - at), Math.min(mixed.length, to - at))
    at += mixed.length
  }
}

async function* mixedSamples(
  { path, dataStart }: WavPart,
  first: number,
  last: number,
): AsyncGenerator<Buffer> {
  const source = createReadStream(path, {
    start: dataStart + first * 4,
    end: dataStart + last * 4 - 1,
  })
  let rest = Buffer.alloc(0)
  for await (const chunk of source) {
    const bytes = Buffer.concat([rest, chunk as Buffer]) // a stream without an encoding
    const whole = Math.floor(bytes.length / 4)
    rest = bytes.subarray(whole * 4)
    const mixed = Buffer.alloc(whole * 2)
    for (let index = 0; index < whole; index += 1) {
      const sum = bytes.readInt16LE(index * 4) + bytes.readInt16LE(index * 4 + 2)
      mixed.writeInt16LE(Math.max(-32_768, Math.min(32_767, sum)), index * 2)
    }
    yield mixed
  }
}
