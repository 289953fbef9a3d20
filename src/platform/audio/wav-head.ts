/**
 * Reads and writes the head of a RIFF WAVE file: its chunks up to the audio, and the format that
 * they describe. Pure.
 */

/** Length of the header that `wavHead` makes, bytes. */
export const WAV_HEAD_BYTES = 44

/** Format tags of the `fmt ` chunk (RFC 2361). */
export const WAV_TAG = { pcm: 1, float: 3, alaw: 6, mulaw: 7, imaAdpcm: 17, gsm: 49 } as const

const EXTENSIBLE = 0xfffe
const FIRST_CHUNK = 12
const CHUNK_HEAD = 8

export interface WavFormat {
  /** Tag of the encoding; for WAVE_FORMAT_EXTENSIBLE, the one in its GUID. */
  readonly tag: number
  readonly channels: number
  readonly rate: number
  readonly bits: number
  /** Size of a block of samples, bytes. */
  readonly blockBytes: number
}

export interface WavHead {
  /** The format; undefined when the `fmt ` chunk is absent or cut short. */
  readonly format: WavFormat | undefined
  readonly dataStart: number
  /** Length in the header, bytes. A file that was streamed, or whose writer died, has 0 or too much there. */
  readonly dataBytes: number
}

/** True when the file starts with a RIFF WAVE header. */
export function isWav(file: Uint8Array): boolean {
  return tagAt(file, 0) === 'RIFF' && tagAt(file, 8) === 'WAVE'
}

/** Reads the chunks before the data; undefined when these bytes have no data chunk. */
export function readWavHead(bytes: Uint8Array): WavHead | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let format: WavFormat | undefined
  let at = FIRST_CHUNK
  while (at + CHUNK_HEAD <= bytes.length) {
    const length = view.getUint32(at + 4, true)
    const start = at + CHUNK_HEAD
    const id = tagAt(bytes, at)
    if (id === 'fmt ') format = formatAt(view, start, Math.min(length, bytes.length - start))
    if (id === 'data') return { format, dataStart: start, dataBytes: length }
    at = start + length + (length % 2)
  }
  return undefined
}

/** Returns the 44-byte header for `dataBytes` of 16-bit samples. */
export function wavHead(channels: number, rate: number, dataBytes: number): Buffer {
  const head = Buffer.alloc(WAV_HEAD_BYTES)
  writeWavHead(head, channels, rate, dataBytes)
  return head
}

/** Writes `wavHead` to the beginning of `into`. */
export function writeWavHead(
  into: Uint8Array,
  channels: number,
  rate: number,
  dataBytes: number,
): void {
  const view = new DataView(into.buffer, into.byteOffset, into.byteLength)
  writeTag(into, 0, 'RIFF')
  view.setUint32(4, WAV_HEAD_BYTES - CHUNK_HEAD + dataBytes, true)
  writeTag(into, 8, 'WAVE')
  writeTag(into, FIRST_CHUNK, 'fmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, WAV_TAG.pcm, true)
  view.setUint16(22, channels, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, 2 * channels * rate, true)
  view.setUint16(32, 2 * channels, true)
  view.setUint16(34, 16, true)
  writeTag(into, 36, 'data')
  view.setUint32(40, dataBytes, true)
}

/** Reads the content of a `fmt ` chunk; undefined when it is cut short. */
export function readWavFormat(chunk: Uint8Array): WavFormat | undefined {
  return formatAt(new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength), 0, chunk.length)
}

function formatAt(view: DataView, at: number, length: number): WavFormat | undefined {
  if (length < 16) return undefined
  const named = view.getUint16(at, true)
  return {
    tag: named === EXTENSIBLE && length >= 26 ? view.getUint16(at + 24, true) : named,
    channels: view.getUint16(at + 2, true),
    rate: view.getUint32(at + 4, true),
    bits: view.getUint16(at + 14, true),
    blockBytes: view.getUint16(at + 12, true),
  }
}

function tagAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}

function writeTag(into: Uint8Array, at: number, tag: string): void {
  for (let index = 0; index < tag.length; index += 1) into[at + index] = tag.charCodeAt(index)
}
