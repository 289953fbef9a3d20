/** Reads IMA ADPCM, the data of WAV files of format 17: four bits per sample, in blocks. */
import type { AudioBlock } from './audio-block.js'
import { UnreadableAudioError, viewOf } from './audio-block.js'

export interface ImaFormat {
  readonly channels: number
  readonly rate: number
  /** The length of a block, in bytes. */
  readonly blockBytes: number
}

/** Bytes at the start of each channel in a block: its first sample and its index in STEPS. */
const HEAD_BYTES = 4
/** Bytes of one channel before those of the next: eight samples. */
const GROUP_BYTES = 4
const MAX_CHANNELS = 2
const MAX_STEP = 88
const STEP_CHANGES = [-1, -1, -1, -1, 2, 4, 6, 8]
/** The quantizer's steps (IMA, "Recommended Practices for Enhancing Digital Audio Compatibility", 1992). */
const STEPS = [
  ...[7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66],
  ...[73, 80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408],
  ...[449, 494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066],
  ...[2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630],
  ...[9493, 10_442, 11_487, 12_635, 13_899, 15_289, 16_818, 18_500, 20_350, 22_385, 24_623],
  ...[27_086, 29_794, 32_767],
]

/** Yields one block of audio for each block of data; channels are averaged. */
export function* readImaAdpcm(data: Uint8Array, format: ImaFormat): Generator<AudioBlock> {
  const { channels, rate, blockBytes } = format
  const group = GROUP_BYTES * channels
  const isKnown = channels >= 1 && channels <= MAX_CHANNELS && rate > 0
  if (!isKnown || blockBytes <= HEAD_BYTES * channels || blockBytes % group !== 0)
    throw new UnreadableAudioError('IMA ADPCM of such blocks is not supported')
  for (let at = 0; at + HEAD_BYTES * channels <= data.length; at += blockBytes) {
    const block = data.subarray(at, at + blockBytes)
    const groups = Math.floor((block.length - HEAD_BYTES * channels) / group)
    const samples = new Float32Array(1 + 8 * groups)
    for (let channel = 0; channel < channels; channel += 1)
      addChannel(block, { channel, channels, groups }, samples)
    yield { rate, samples }
  }
}

interface Place {
  readonly channel: number
  readonly channels: number
  readonly groups: number
}

function addChannel(block: Uint8Array, place: Place, samples: Float32Array): void {
  const { channel, channels, groups } = place
  let value = viewOf(block).getInt16(HEAD_BYTES * channel, true)
  let step = Math.min(MAX_STEP, block[HEAD_BYTES * channel + 2] ?? 0)
  const add = (index: number): void => {
    samples[index] = (samples[index] ?? 0) + value / 32_768 / channels
  }
  add(0)
  for (let index = 0; index < 8 * groups; index += 1) {
    const group = Math.floor(index / 8)
    const start = HEAD_BYTES * channels + GROUP_BYTES * (group * channels + channel)
    const byte = block[start + ((index % 8) >> 1)] ?? 0
    const code = index % 2 === 0 ? byte & 0x0f : byte >> 4
    value = Math.max(-32_768, Math.min(32_767, value + difference(code, STEPS[step] ?? 7)))
    step = Math.max(0, Math.min(MAX_STEP, step + (STEP_CHANGES[code & 7] ?? 0)))
    add(index + 1)
  }
}

/** Returns the change that a code means: a sign, and eighths of the step. */
function difference(code: number, step: number): number {
  let change = step >> 3
  if ((code & 4) !== 0) change += step
  if ((code & 2) !== 0) change += step >> 1
  if ((code & 1) !== 0) change += step >> 2
  return (code & 8) === 0 ? change : -change
}
