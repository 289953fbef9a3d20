/** Reads Apple's AIFF and AIFF-C. */
import type { AudioBlock } from './audio-block.js'
import { latin1, UnreadableAudioError, viewOf } from './audio-block.js'
import { type PcmFormat, readPcm, type SampleEncoding } from './pcm.js'

interface Compression {
  readonly encoding: SampleEncoding
  readonly bits?: number
  readonly isLittleEndian?: boolean
}
const COMPRESSIONS: ReadonlyMap<string, Compression> = new Map<string, Compression>([
  ['NONE', { encoding: 'signed' }],
  ['twos', { encoding: 'signed' }],
  ['sowt', { encoding: 'signed', isLittleEndian: true }],
  ['fl32', { encoding: 'float', bits: 32 }],
  ['FL32', { encoding: 'float', bits: 32 }],
  ['fl64', { encoding: 'float', bits: 64 }],
  ['ulaw', { encoding: 'ulaw', bits: 8 }],
  ['ULAW', { encoding: 'ulaw', bits: 8 }],
  ['alaw', { encoding: 'alaw', bits: 8 }],
  ['ALAW', { encoding: 'alaw', bits: 8 }],
])

const FORM_HEAD_BYTES = 12

export const isAiff = (file: Uint8Array): boolean =>
  latin1(file, 0, 4) === 'FORM' && ['AIFF', 'AIFC'].includes(latin1(file, 8, 4))

export function* readAiff(file: Uint8Array): Generator<AudioBlock> {
  const isCompressed = latin1(file, 8, 4) === 'AIFC'
  let format: PcmFormat | undefined
  let sound: Uint8Array | undefined
  for (const { id, bytes } of chunksOf(file)) {
    if (id === 'COMM') format = readCommon(bytes, isCompressed)
    if (id === 'SSND' && bytes.length >= 8) sound = bytes.subarray(8 + viewOf(bytes).getUint32(0))
  }
  if (format === undefined || sound === undefined)
    throw new UnreadableAudioError('AIFF file without format or sound')
  yield* readPcm(sound, format)
}

/**
 * Yields the chunks in order. A chunk that claims more bytes than the file has, as streaming writers produce
 * it, ends with the file.
 */
function* chunksOf(
  file: Uint8Array,
): Generator<{ readonly id: string; readonly bytes: Uint8Array }> {
  const view = viewOf(file)
  let at = FORM_HEAD_BYTES
  while (at + 8 <= file.length) {
    const length = view.getUint32(at + 4)
    const end = Math.min(at + 8 + length, file.length)
    yield { id: latin1(file, at, 4), bytes: file.subarray(at + 8, end) }
    at = end + (length % 2)
  }
}

function readCommon(bytes: Uint8Array, isCompressed: boolean): PcmFormat {
  if (bytes.length < (isCompressed ? 22 : 18))
    throw new UnreadableAudioError('AIFF format is cut short')
  const view = viewOf(bytes)
  const name = isCompressed ? latin1(bytes, 18, 4) : 'NONE'
  const compression = COMPRESSIONS.get(name)
  if (compression === undefined)
    throw new UnreadableAudioError(`AIFF compression "${name}" is not supported`)
  return {
    encoding: compression.encoding,
    // An odd size is stored left-justified in whole bytes.
    bits: compression.bits ?? Math.ceil(view.getUint16(6) / 8) * 8,
    isLittleEndian: compression.isLittleEndian ?? false,
    channels: view.getUint16(0),
    rate: readExtended(view, 8),
  }
}

/** Reads an 80-bit IEEE number. Sample rates are integers, so the upper 32 bits suffice. */
function readExtended(view: DataView, at: number): number {
  const exponent = (view.getUint16(at) & 0x7fff) - 16_383
  return Math.round(view.getUint32(at + 2) * 2 ** (exponent - 31))
}
