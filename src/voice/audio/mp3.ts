import { MPEGDecoder } from 'mpg123-decoder'
import type { AudioBlock } from './audio-block.js'

/** The bytes that are decoded at a time: some seconds of sound at usual bit rates. */
const PIECE = 64 * 1024

/** Reads an MP3 file. Frames that cannot be decoded are left out. */
export async function* readMp3(file: Uint8Array): AsyncGenerator<AudioBlock> {
  const decoder = new MPEGDecoder()
  await decoder.ready
  try {
    for (let at = 0; at < file.length; at += PIECE) {
      const { channelData, sampleRate: rate } = decoder.decode(file.subarray(at, at + PIECE))
      const samples = mean(channelData)
      if (samples.length > 0) yield { rate, samples }
    }
  } finally {
    decoder.free()
  }
}

function mean(channels: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array()] = channels
  if (channels.length < 2) return first
  return first.map((_sample, index) => {
    const sum = channels.reduce((total, channel) => total + (channel[index] ?? 0), 0)
    return sum / channels.length
  })
}
