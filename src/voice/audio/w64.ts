/**
 * Reads Sony Wave64: a WAV file whose chunks have GUIDs as names and 64-bit lengths that include their
 * headers, and start at multiples of eight.
 */
import { readWavFormat, type WavFormat } from '../../platform/audio/wav-head.js'
import type { AudioBlock } from './audio-block.js'
import { latin1, UnreadableAudioError, viewOf } from './audio-block.js'
import { readWavData } from './wav.js'

const CHUNK_HEAD = 24
/** Bytes of the GUIDs of the file and of its type, and of the length between them. */
const FILE_HEAD = 40
/** The rest of the GUID that begins with `riff`. Chunks have another rest, which is not checked. */
const RIFF_REST = '2e91cf11a5d628db04c10000'

/** True when the file begins like a Wave64 file. */
export function isW64(file: Uint8Array): boolean {
  const rest = Buffer.from(file.subarray(4, 16)).toString('hex')
  return latin1(file, 0, 4) === 'riff' && rest === RIFF_REST && latin1(file, 24, 4) === 'wave'
}

/** Reads a Wave64 file. Throws UnreadableAudioError. */
export function* readW64(file: Uint8Array): Generator<AudioBlock> {
  const view = viewOf(file)
  let format: WavFormat | undefined
  for (let at = FILE_HEAD; at + CHUNK_HEAD <= file.length; ) {
    const stated = Number(view.getBigUint64(at + 16, true))
    // A streaming writer states no length, so the audio extends to the end.
    const end = stated < CHUNK_HEAD ? file.length : Math.min(at + stated, file.length)
    const content = file.subarray(at + CHUNK_HEAD, end)
    const id = latin1(file, at, 4)
    if (id === 'fmt ') format = readWavFormat(content)
    if (id === 'data') {
      if (format === undefined) throw new UnreadableAudioError('W64 data without a format')
      yield* readWavData(content, format)
      return
    }
    at = end + ((8 - (end % 8)) % 8)
  }
  throw new UnreadableAudioError('W64 file without data')
}
