/** Turns the bytes of a WAV file's data into 16-bit mono samples. */
import { PCMA, PCMU } from './g711.js'
import type { WavFormat } from './wav-header.js'

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
