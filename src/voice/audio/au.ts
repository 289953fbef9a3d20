/** Reads Sun's `.snd`, and headerless µ-law. Both have the type audio/basic. */
import type { AudioBlock } from './audio-block.js'
import { latin1, UnreadableAudioError, viewOf } from './audio-block.js'
import { readPcm, type SampleEncoding } from './pcm.js'
import { TELEPHONE_RATE } from './wav.js'

const ENCODINGS: ReadonlyMap<number, readonly [SampleEncoding, number]> = new Map([
  [1, ['ulaw', 8]],
  [2, ['signed', 8]],
  [3, ['signed', 16]],
  [4, ['signed', 24]],
  [5, ['signed', 32]],
  [6, ['float', 32]],
  [7, ['float', 64]],
  [27, ['alaw', 8]],
])

export const isAu = (file: Uint8Array): boolean => latin1(file, 0, 4) === '.snd'

export function* readAu(file: Uint8Array): Generator<AudioBlock> {
  if (file.length < 24) throw new UnreadableAudioError('AU header is cut short')
  const view = viewOf(file)
  const number = view.getUint32(12)
  const encoding = ENCODINGS.get(number)
  if (encoding === undefined)
    throw new UnreadableAudioError(`AU encoding ${number} is not supported`)
  yield* readPcm(file.subarray(view.getUint32(4)), {
    encoding: encoding[0],
    bits: encoding[1],
    isLittleEndian: false,
    rate: view.getUint32(16),
    channels: view.getUint32(20),
  })
}

export function readRawUlaw(file: Uint8Array): Generator<AudioBlock> {
  const rate = TELEPHONE_RATE
  return readPcm(file, { encoding: 'ulaw', bits: 8, isLittleEndian: true, rate, channels: 1 })
}
