/** The head of a WAV file: read what we play, write what we record. */

export const RECORDING_HEADER_BYTES = 44

export type WavEncoding = 'pcm8' | 'pcm16' | 'pcm24' | 'alaw' | 'ulaw'

export interface WavFormat {
  readonly encoding: WavEncoding
  readonly channels: number
  readonly sampleRate: number
  /** Of all channels together. */
  readonly bytesPerFrame: number
  readonly dataStart: number
  readonly dataBytes: number
}

export class WavFormatError extends Error {
  override readonly name = 'WavFormatError'
}

const FORMAT_PCM = 1
const FORMAT_ALAW = 6
const FORMAT_ULAW = 7
const FORMAT_EXTENSIBLE = 0xfffe
const MAX_CHANNELS = 8
const MAX_SAMPLE_RATE = 192_000
/** Every rate in use is a multiple; it bounds how many phases the resampler needs. */
const SAMPLE_RATE_STEP = 25

/**
 * Reads the chunks in `head`, the file's first bytes. A data length of 0 or more than the file has (a
 * writer that died, or a stream) means all that follows. Throws WavFormatError.
 */
export function parseWavHeader(head: Buffer, fileBytes: number): WavFormat {
  if (head.length < 12 || tag(head, 0) !== 'RIFF' || tag(head, 8) !== 'WAVE')
    throw new WavFormatError('not a WAV file')
  let format: Omit<WavFormat, 'dataStart' | 'dataBytes'> | undefined
  let at = 12
  while (at + 8 <= head.length) {
    const name = tag(head, at)
    const bytes = head.readUInt32LE(at + 4)
    const start = at + 8
    if (name === 'fmt ') format = parseFormat(head.subarray(start, start + bytes))
    if (name === 'data') {
      if (format === undefined) throw new WavFormatError('the WAV file has no format chunk')
      const there = Math.max(0, fileBytes - start)
      const dataBytes = bytes === 0 || bytes > there ? there : bytes
      return { ...format, dataStart: start, dataBytes }
    }
    at = start + bytes + (bytes % 2)
  }
  throw new WavFormatError('the WAV file has no data chunk where one is expected')
}

/** Writes the 44 bytes before `dataBytes` of 8 kHz 16-bit audio. */
export function writeRecordingHeader(into: Buffer, channels: number, dataBytes: number): void {
  into.write('RIFF', 0, 'latin1')
  into.writeUInt32LE(36 + dataBytes, 4)
  into.write('WAVEfmt ', 8, 'latin1')
  into.writeUInt32LE(16, 16)
  into.writeUInt16LE(FORMAT_PCM, 20)
  into.writeUInt16LE(channels, 22)
  into.writeUInt32LE(8000, 24)
  into.writeUInt32LE(16_000 * channels, 28)
  into.writeUInt16LE(2 * channels, 32)
  into.writeUInt16LE(16, 34)
  into.write('data', 36, 'latin1')
  into.writeUInt32LE(dataBytes, 40)
}

function parseFormat(chunk: Buffer): Omit<WavFormat, 'dataStart' | 'dataBytes'> {
  if (chunk.length < 16) throw new WavFormatError('the WAV format chunk is cut short')
  const named = chunk.readUInt16LE(0)
  const channels = chunk.readUInt16LE(2)
  const sampleRate = chunk.readUInt32LE(4)
  const bits = chunk.readUInt16LE(14)
  // WAVE_FORMAT_EXTENSIBLE names the true format in the first two bytes of its GUID.
  const code = named === FORMAT_EXTENSIBLE && chunk.length >= 26 ? chunk.readUInt16LE(24) : named
  const encoding = encodingOf(code, bits)
  if (encoding === undefined)
    throw new WavFormatError(`WAV format ${code} with ${bits} bits is not supported`)
  if (channels < 1 || channels > MAX_CHANNELS)
    throw new WavFormatError(`${channels} channels are not supported`)
  if (sampleRate < 4000 || sampleRate > MAX_SAMPLE_RATE || sampleRate % SAMPLE_RATE_STEP !== 0)
    throw new WavFormatError(`a sample rate of ${sampleRate} Hz is not supported`)
  return { encoding, channels, sampleRate, bytesPerFrame: (bits / 8) * channels }
}

function encodingOf(code: number, bits: number): WavEncoding | undefined {
  if (code === FORMAT_ALAW && bits === 8) return 'alaw'
  if (code === FORMAT_ULAW && bits === 8) return 'ulaw'
  if (code !== FORMAT_PCM) return undefined
  if (bits === 8) return 'pcm8'
  if (bits === 16) return 'pcm16'
  return bits === 24 ? 'pcm24' : undefined
}

function tag(head: Buffer, at: number): string {
  return head.toString('latin1', at, at + 4)
}
