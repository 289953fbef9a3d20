/**
 * Reads GSM 06.10 full-rate speech: files without a header, and the data of WAV files of format 49.
 */
import type { AudioBlock } from './audio-block.js'
import { createGsmDecoder, GSM_SAMPLES } from './gsm-decoder.js'
import { gsmFrames, gsmPairFrames } from './gsm-frame.js'

const RATE = 8000

export const readGsm = (file: Uint8Array): Generator<AudioBlock> => decoded(gsmFrames(file), RATE)

export const readGsmPairs = (data: Uint8Array, rate: number): Generator<AudioBlock> =>
  decoded(gsmPairFrames(data), rate)

function* decoded(frames: Iterable<Int16Array>, rate: number): Generator<AudioBlock> {
  const decoder = createGsmDecoder()
  for (const frame of frames) {
    const samples = new Float32Array(GSM_SAMPLES)
    for (const [index, sample] of decoder.decode(frame).entries()) samples[index] = sample / 32_768
    yield { rate, samples }
  }
}
