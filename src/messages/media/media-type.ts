/** Detects the media type of a file from its signature and its Content-Type. Pure. */
import { sampleOf } from '../../platform/uploads/file-sample.js'
import {
  bmp,
  gif,
  isoMedia,
  jpeg,
  mpegAudio,
  ogg,
  pdf,
  png,
  rtf,
  type Sniffer,
  text,
  tiff,
  wav,
  webm,
} from '../../platform/uploads/file-signatures.js'

const webp: Sniffer = ({ head }) =>
  head.subarray(0, 4).toString('latin1') === 'RIFF' &&
  head.subarray(8, 12).toString('latin1') === 'WEBP'
const amr: Sniffer = ({ head }) => head.subarray(0, 5).toString('latin1') === '#!AMR'
const mpegVideo: Sniffer = ({ head }) => head.readUInt32BE(0) >>> 8 === 1

/** Allowed media types, each with a check of its file signature. */
const TYPES: readonly (readonly [type: string, looks: Sniffer])[] = [
  ['image/jpeg', jpeg],
  ['image/png', png],
  ['image/gif', gif],
  ['image/bmp', bmp],
  ['image/tiff', tiff],
  ['image/webp', webp],
  ['audio/mpeg', mpegAudio],
  ['audio/mp3', mpegAudio],
  ['audio/mp4', isoMedia],
  ['audio/3gpp', isoMedia],
  ['audio/ogg', ogg],
  ['audio/wav', wav],
  ['audio/x-wav', wav],
  ['audio/amr', amr],
  ['video/mp4', isoMedia],
  ['video/3gpp', isoMedia],
  ['video/3gpp2', isoMedia],
  ['video/quicktime', isoMedia],
  ['video/webm', webm],
  ['video/mpeg', mpegVideo],
  ['application/pdf', pdf],
  ['text/vcard', text],
  ['text/x-vcard', text],
  ['text/calendar', text],
  ['text/csv', text],
  ['text/rtf', rtf],
  ['application/rtf', rtf],
]
/** Content types of servers for unknown files. */
const UNKNOWN: readonly string[] = ['', 'application/octet-stream', 'binary/octet-stream']
/** Types that are tried for a file without a type. */
const GUESSES: readonly string[] = [
  ...['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/tiff'],
  ...['audio/wav', 'audio/ogg', 'video/mp4', 'video/webm', 'application/pdf'],
]

/** Returns the media type; undefined for one that no message may have. */
export function mediaTypeOf(contentType: string, bytes: Uint8Array): string | undefined {
  if (bytes.length < 4) return undefined
  const said = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  const sample = sampleOf(bytes)
  const looksLike = (wanted: string) =>
    TYPES.some(([type, looks]) => type === wanted && looks(sample))
  if (UNKNOWN.includes(said)) return GUESSES.find(looksLike)
  return looksLike(said) ? said : undefined
}
