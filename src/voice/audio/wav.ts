/** RIFF WAVE: reads the common encodings, and writes the one that is played. */
import {
  readWavHead,
  WAV_HEAD_BYTES,
  WAV_TAG,
  type WavFormat,
  type WavHead,
  writeWavHead,
} from '../../platform/audio/wav-head.js'
import type { AudioBlock } from './audio-block.js'
import { UnreadableAudioError, viewOf } from './audio-block.js'
import { readGsmPairs } from './gsm.js'
import { readImaAdpcm } from './ima-adpcm.js'
import { readPcm, type SampleEncoding } from './pcm.js'

export const TELEPHONE_RATE = 8000
/** Bytes of `RIFF` and the length after it. */
const RIFF_HEADER_BYTES = 8
const ENCODINGS: ReadonlyMap<number, SampleEncoding> = new Map([
  [WAV_TAG.pcm, 'signed'],
  [WAV_TAG.float, 'float'],
  [WAV_TAG.alaw, 'alaw'],
  [WAV_TAG.mulaw, 'ulaw'],
])

/** Reads a WAV file. Throws UnreadableAudioError. */
export function* readWav(file: Uint8Array): Generator<AudioBlock> {
  const head = readWavHead(file)
  if (head === undefined) throw new UnreadableAudioError('WAV file without data')
  if (head.format === undefined) throw new UnreadableAudioError('WAV data without a format')
  const end = isUnstated(file, head) ? file.length : head.dataStart + head.dataBytes
  yield* readWavData(file.subarray(head.dataStart, end), head.format)
}

/** Reads the samples of a WAV file. Throws UnreadableAudioError. */
export function* readWavData(data: Uint8Array, format: WavFormat): Generator<AudioBlock> {
  const { tag, channels, rate, bits } = format
  if (tag === WAV_TAG.imaAdpcm) {
    yield* readImaAdpcm(data, format)
    return
  }
  if (tag === WAV_TAG.gsm && channels === 1) {
    yield* readGsmPairs(data, rate)
    return
  }
  const named = ENCODINGS.get(tag)
  if (named === undefined) throw new UnreadableAudioError(`WAV encoding ${tag} is not supported`)
  const encoding = named === 'signed' && bits === 8 ? 'unsigned' : named
  yield* readPcm(data, { encoding, bits, isLittleEndian: true, channels, rate })
}

/**
 * True when the writer streamed, or died before it wrote the lengths of the file and its data, so that the
 * audio extends to the file's end. An empty recording states the file's length.
 */
function isUnstated(file: Uint8Array, { dataStart, dataBytes }: WavHead): boolean {
  const riffEnd = viewOf(file).getUint32(4, true) + RIFF_HEADER_BYTES
  return dataBytes === 0 && riffEnd <= dataStart
}

/** Returns a telephone WAV file: 8 kHz, one channel, 16 bits. */
export function encodeTelephoneWav(samples: Int16Array): Uint8Array {
  const file = new Uint8Array(WAV_HEAD_BYTES + samples.length * 2)
  writeWavHead(file, 1, TELEPHONE_RATE, samples.length * 2)
  const view = viewOf(file)
  for (const [index, sample] of samples.entries())
    view.setInt16(WAV_HEAD_BYTES + index * 2, sample, true)
  return file
}

/** Returns the duration of a file that `encodeTelephoneWav` wrote, from its size alone. */
export function telephoneWavDurationMs(fileLength: number): number {
  return Math.max(0, Math.round((fileLength - WAV_HEAD_BYTES) / 2 / (TELEPHONE_RATE / 1000)))
}

/** Changes the volume of a file that `encodeTelephoneWav` wrote, in place. Peaks are clipped. */
export function amplifyTelephoneWav(file: Uint8Array, gainDb: number): Uint8Array {
  if (gainDb === 0) return file
  const view = viewOf(file)
  const factor = 10 ** (gainDb / 20)
  for (let at = WAV_HEAD_BYTES; at + 2 <= file.length; at += 2) {
    const sample = Math.round(view.getInt16(at, true) * factor)
    view.setInt16(at, Math.max(-32_768, Math.min(32_767, sample)), true)
  }
  return file
}
