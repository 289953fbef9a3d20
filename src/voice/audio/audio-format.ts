import { isWav } from '../../platform/audio/wav-head.js'
import { isAiff } from './aiff.js'
import { isAu } from './au.js'
import { latin1 } from './audio-block.js'
import { isGsm } from './gsm-frame.js'
import { isW64 } from './w64.js'

export type AudioFormat = 'wav' | 'w64' | 'mp3' | 'aiff' | 'au' | 'ulaw' | 'gsm'

/** The documented content types. 'unknown' leaves the decision to the first bytes. */
const TYPES: ReadonlyMap<string, AudioFormat | 'unknown'> = new Map([
  ['audio/mpeg', 'mp3'],
  ['audio/wav', 'wav'],
  ['audio/wave', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/aiff', 'aiff'],
  ['audio/x-aiff', 'aiff'],
  ['audio/x-aifc', 'aiff'],
  ['audio/basic', 'ulaw'],
  ['audio/ulaw', 'ulaw'],
  ['audio/gsm', 'gsm'],
  ['audio/x-gsm', 'gsm'],
  ['application/octet-stream', 'unknown'],
  ['binary/octet-stream', 'unknown'],
])

const MAGIC: readonly (readonly [AudioFormat, (file: Uint8Array) => boolean])[] = [
  ['wav', isWav],
  ['w64', isW64],
  ['aiff', isAiff],
  ['au', isAu],
  ['mp3', isMp3],
  ['gsm', isGsm],
]

const nameOf = (contentType: string): string =>
  contentType.split(';')[0]?.trim().toLowerCase() ?? ''

/** True for one of the documented content types. */
export function isDocumentedType(contentType: string): boolean {
  return TYPES.has(nameOf(contentType))
}

/**
 * Returns the format of a file; undefined when it may not be played. The first bytes decide, since many
 * servers send wrong types, but only if the type is audio or missing.
 */
export function audioFormat(contentType: string, file: Uint8Array): AudioFormat | undefined {
  const name = nameOf(contentType)
  const isAudio = name === '' || name.startsWith('audio/')
  const type = TYPES.get(name) ?? (isAudio ? 'unknown' : undefined)
  if (type === undefined) return undefined
  const seen = MAGIC.find(([, matches]) => matches(file))?.[0]
  // A headerless µ-law file may begin with any bytes, even those of an MP3 frame.
  if (type === 'ulaw') return seen === 'au' || seen === 'wav' ? seen : 'ulaw'
  if (seen !== undefined) return seen
  return type === 'gsm' || type === 'unknown' ? undefined : type
}

/** True for an ID3 tag, or for the eleven set bits that begin a frame of layer I, II or III. */
function isMp3(file: Uint8Array): boolean {
  return (
    latin1(file, 0, 3) === 'ID3' ||
    (file[0] === 0xff && ((file[1] ?? 0) & 0xe0) === 0xe0 && ((file[1] ?? 0) & 0x06) !== 0)
  )
}
