/** Decodes the sample encodings of audio files to −1 … 1. */
import { A_LAW, MU_LAW } from '../../platform/audio/g711.js'
import { type AudioBlock, BLOCK_FRAMES, UnreadableAudioError } from './audio-block.js'

export type SampleEncoding = 'unsigned' | 'signed' | 'float' | 'ulaw' | 'alaw'

export interface PcmFormat {
  readonly encoding: SampleEncoding
  readonly bits: number
  readonly isLittleEndian: boolean
  readonly rate: number
  readonly channels: number
}

type ReadSample = (view: DataView, at: number) => number

const MIN_RATE = 1000
const MAX_RATE = 192_000
const MAX_CHANNELS = 32

/** Yields blocks of samples averaged over the channels. A partial frame at the end is omitted. */
export function* readPcm(bytes: Uint8Array, format: PcmFormat): Generator<AudioBlock> {
  const { rate, channels } = format
  if (!(rate >= MIN_RATE && rate <= MAX_RATE))
    throw new UnreadableAudioError(`${rate} samples a second are not supported`)
  if (!(channels >= 1 && channels <= MAX_CHANNELS))
    throw new UnreadableAudioError(`${channels} channels are not supported`)
  const read = sampleReader(format)
  const width = format.bits / 8
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const frames = Math.floor(bytes.length / (width * channels))
  for (let first = 0; first < frames; first += BLOCK_FRAMES) {
    const samples = new Float32Array(Math.min(BLOCK_FRAMES, frames - first))
    for (let frame = 0; frame < samples.length; frame += 1) {
      let sum = 0
      for (let channel = 0; channel < channels; channel += 1)
        sum += read(view, ((first + frame) * channels + channel) * width)
      samples[frame] = sum / channels
    }
    yield { rate, samples }
  }
}

function sampleReader({ encoding, bits, isLittleEndian: little }: PcmFormat): ReadSample {
  switch (`${encoding} ${bits}`) {
    case 'unsigned 8':
      return (view, at) => (view.getUint8(at) - 128) / 128
    case 'signed 8':
      return (view, at) => view.getInt8(at) / 128
    case 'signed 16':
      return (view, at) => view.getInt16(at, little) / 32_768
    case 'signed 24':
      return little
        ? (view, at) => (view.getInt16(at + 1, true) * 256 + view.getUint8(at)) / 8_388_608
        : (view, at) => (view.getInt16(at, false) * 256 + view.getUint8(at + 2)) / 8_388_608
    case 'signed 32':
      return (view, at) => view.getInt32(at, little) / 2_147_483_648
    case 'float 32':
      return (view, at) => bounded(view.getFloat32(at, little))
    case 'float 64':
      return (view, at) => bounded(view.getFloat64(at, little))
    case 'ulaw 8':
      return (view, at) => (MU_LAW.toLinear[view.getUint8(at)] ?? 0) / 32_768
    case 'alaw 8':
      return (view, at) => (A_LAW.toLinear[view.getUint8(at)] ?? 0) / 32_768
    default:
      throw new UnreadableAudioError(`${encoding} samples of ${bits} bits are not supported`)
  }
}

function bounded(sample: number): number {
  return Number.isFinite(sample) ? Math.max(-1, Math.min(1, sample)) : 0
}
