/** RIFF WAVE: reading of what people have, writing of the one kind that is played. */
import type { AudioBlock } from './audio-block.js'
import { latin1, readChunks, viewOf } from './chunks.js'
import { readGsmPairs } from './gsm.js'
import { readPcm, type SampleEncoding } from './pcm.js'
import { UnreadableAudioError } from './unreadable-audio-error.js'

export const TELEPHONE_RATE = 8000
const HEADER_LENGTH = 44
const EXTENSIBLE = 0xfffe
const GSM = 49
const ENCODINGS: ReadonlyMap<number, SampleEncoding> = new Map([
  [1, 'signed'],
  [3, 'float'],
  [6, 'alaw'],
  [7, 'ulaw'],
])

export const isWav = (file: Uint8Array): boolean =>
  latin1(file, 0, 4) === 'RIFF' && latin1(file, 8, 4) === 'WAVE'

export function* readWav(file: Uint8Array): Generator<AudioBlock> {
  let read: ReadData | undefined
  for (const { id, bytes } of readChunks(file, { isLittleEndian: true, headerLength: 12 })) {
    if (id === 'fmt ') read = readFormat(bytes)
    if (id !== 'data') continue
    if (read === undefined) throw new UnreadableAudioError('WAV data before its format')
    yield* read(bytes)
    return
  }
  throw new UnreadableAudioError('WAV file without data')
}

type ReadData = (data: Uint8Array) => Generator<AudioBlock>

function readFormat(bytes: Uint8Array): ReadData {
  if (bytes.length < 16) throw new UnreadableAudioError('WAV format is cut short')
  const view = viewOf(bytes)
  const written = view.getUint16(0, true)
  const tag = written === EXTENSIBLE && bytes.length >= 26 ? view.getUint16(24, true) : written
  const [channels, rate] = [view.getUint16(2, true), view.getUint32(4, true)]
  if (tag === GSM && channels === 1) return (data) => readGsmPairs(data, rate)
  const encoding = ENCODINGS.get(tag)
  if (encoding === undefined) throw new UnreadableAudioError(`WAV encoding ${tag} is not supported`)
  const bits = view.getUint16(14, true)
  const shown = encoding === 'signed' && bits === 8 ? 'unsigned' : encoding
  return (data) => readPcm(data, { encoding: shown, bits, isLittleEndian: true, channels, rate })
}

/** 8 kHz, one channel, 16 bit. */
export function encodeTelephoneWav(samples: Int16Array): Uint8Array {
  const file = new Uint8Array(HEADER_LENGTH + samples.length * 2)
  const view = viewOf(file)
  const words = (at: number, text: string) => {
    file.set(new TextEncoder().encode(text), at)
  }
  words(0, 'RIFF')
  view.setUint32(4, file.length - 8, true)
  words(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, TELEPHONE_RATE, true)
  view.setUint32(28, TELEPHONE_RATE * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  words(36, 'data')
  view.setUint32(40, samples.length * 2, true)
  for (const [index, sample] of samples.entries())
    view.setInt16(HEADER_LENGTH + index * 2, sample, true)
  return file
}

/** Of a file that `encodeTelephoneWav` wrote, by its size alone. */
export function telephoneWavDurationMs(fileLength: number): number {
  return Math.max(0, Math.round((fileLength - HEADER_LENGTH) / 2 / (TELEPHONE_RATE / 1000)))
}

/** Makes a file that `encodeTelephoneWav` wrote louder or softer; what becomes too loud is clipped. */
export function amplifyTelephoneWav(file: Uint8Array, gainDb: number): Uint8Array {
  if (gainDb === 0) return file
  const view = viewOf(file)
  const factor = 10 ** (gainDb / 20)
  for (let at = HEADER_LENGTH; at + 2 <= file.length; at += 2) {
    const sample = Math.round(view.getInt16(at, true) * factor)
    view.setInt16(at, Math.max(-32_768, Math.min(32_767, sample)), true)
  }
  return file
}
