/** Reads the head of WAV files that can be played. */
import { isWav, readWavHead, WAV_TAG } from '../../../platform/audio/wav-head.js'
import { PCMA, PCMU } from './g711.js'

export type WavEncoding = 'pcm8' | 'pcm16' | 'pcm24' | 'alaw' | 'ulaw'

export interface WavFormat {
  readonly encoding: WavEncoding
  readonly channels: number
  readonly sampleRate: number
  /** The bytes of one sample of each channel. */
  readonly bytesPerFrame: number
  readonly dataStart: number
  readonly dataBytes: number
}

type ReadOne = (data: Buffer, at: number) => number

const READERS: Readonly<Record<WavFormat['encoding'], { bytes: number; read: ReadOne }>> = {
  pcm8: { bytes: 1, read: (data, at) => ((data[at] ?? 128) - 128) << 8 },
  pcm16: {
    bytes: 2,
    read: (data, at) => (((data[at] ?? 0) | ((data[at + 1] ?? 0) << 8)) << 16) >> 16,
  },
  pcm24: {
    bytes: 3,
    read: (data, at) => (((data[at + 1] ?? 0) | ((data[at + 2] ?? 0) << 8)) << 16) >> 16,
  },
  alaw: { bytes: 1, read: (data, at) => PCMA.toLinear[data[at] ?? 0] ?? 0 },
  ulaw: { bytes: 1, read: (data, at) => PCMU.toLinear[data[at] ?? 0] ?? 0 },
}

/** Reads the sample whose bytes start at `at`, the mean of all channels. */
export type SampleReader = (data: Buffer, at: number) => number

export class WavFormatError extends Error {
  override readonly name = 'WavFormatError'
}

const MAX_CHANNELS = 8
const MAX_SAMPLE_RATE = 192_000
/**
 * The step of sample rates: every rate in use is a multiple. It bounds the number of phases that
 * the resampler needs.
 */
const SAMPLE_RATE_STEP = 25

/**
 * Reads the chunks in `head`, the file's first bytes. A data length of 0, or of more than the file
 * has, means everything that follows: the writer died, or the file is a stream. Throws
 * WavFormatError.
 */
export function parseWavHeader(head: Buffer, fileBytes: number): WavFormat {
  if (!isWav(head)) throw new WavFormatError('not a WAV file')
  const read = readWavHead(head)
  if (read === undefined)
    throw new WavFormatError('the WAV file has no data chunk where one is expected')
  if (read.format === undefined) throw new WavFormatError('the WAV file has no format chunk')
  const { tag, channels, rate: sampleRate, bits } = read.format
  const encoding = encodingOf(tag, bits)
  if (encoding === undefined)
    throw new WavFormatError(`WAV format ${tag} with ${bits} bits is not supported`)
  if (channels < 1 || channels > MAX_CHANNELS)
    throw new WavFormatError(`${channels} channels are not supported`)
  if (sampleRate < 4000 || sampleRate > MAX_SAMPLE_RATE || sampleRate % SAMPLE_RATE_STEP !== 0)
    throw new WavFormatError(`a sample rate of ${sampleRate} Hz is not supported`)
  const { dataStart } = read
  const there = Math.max(0, fileBytes - dataStart)
  const dataBytes = read.dataBytes === 0 || read.dataBytes > there ? there : read.dataBytes
  const bytesPerFrame = (bits / 8) * channels
  return { encoding, channels, sampleRate, bytesPerFrame, dataStart, dataBytes }
}

function encodingOf(tag: number, bits: number): WavEncoding | undefined {
  if (tag === WAV_TAG.alaw && bits === 8) return 'alaw'
  if (tag === WAV_TAG.mulaw && bits === 8) return 'ulaw'
  if (tag !== WAV_TAG.pcm) return undefined
  if (bits === 8) return 'pcm8'
  if (bits === 16) return 'pcm16'
  return bits === 24 ? 'pcm24' : undefined
}

/** Returns a function that reads the data of a WAV file as 16-bit mono samples. */
export function createSampleReader(format: WavFormat): SampleReader {
  const { bytes, read } = READERS[format.encoding]
  const { channels } = format
  if (channels === 1) return read
  return (data, at) => {
    let sum = 0
    for (let channel = 0; channel < channels; channel++) sum += read(data, at + channel * bytes)
    return Math.round(sum / channels)
  }
}
