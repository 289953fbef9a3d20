/**
 * The kinds of files that may be attached, and the check of content against the file name. Pure.
 */
import { type Problem, problem } from '../model/registry-error.js'
import type { FileSample } from './file-sample.js'

export type AttachmentKind = 'mms' | 'document' | 'evidence'

type Sniffer = (sample: FileSample) => boolean

const startsWith =
  (...signatures: readonly (readonly number[])[]): Sniffer =>
  ({ head }) =>
    signatures.some((signature) => signature.every((byte, index) => head[index] === byte))
const ascii = (text: string, offset = 0): Sniffer => {
  const expected = Buffer.from(text, 'latin1')
  return ({ head }) => head.subarray(offset, offset + expected.length).equals(expected)
}
const both =
  (...sniffers: readonly Sniffer[]): Sniffer =>
  (sample) =>
    sniffers.every((sniff) => sniff(sample))
const either =
  (...sniffers: readonly Sniffer[]): Sniffer =>
  (sample) =>
    sniffers.some((sniff) => sniff(sample))

/**
 * The known signatures. Camera raw files have none in common, and must not look like another kind.
 */
const bmp = ascii('BM')
const gif = either(ascii('GIF87a'), ascii('GIF89a'))
const jpeg = startsWith([0xff, 0xd8, 0xff])
const png = startsWith([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const tiff = either(ascii('II*\0'), ascii('MM\0*'))
const isoMedia = ascii('ftyp', 4)
/** Recognises an MPEG audio frame's sync word, or the tag that players put before it. */
const mpegAudio: Sniffer = (sample) => {
  const [first = 0, second = 0] = sample.head
  return ascii('ID3')(sample) || (first === 0xff && (second & 0xe0) === 0xe0 && !jpeg(sample))
}
const ogg = ascii('OggS')
const wav = both(ascii('RIFF'), ascii('WAVE', 8))
const webm = startsWith([0x1a, 0x45, 0xdf, 0xa3])
const zip = startsWith([0x50, 0x4b, 0x03, 0x04])
const pdf = ascii('%PDF-')
const rtf = ascii('{\\rtf')
const text: Sniffer = ({ isText }) => isText
const markup = both(text, ({ head }) => /^\uFEFF?\s*</.test(head.subarray(0, 256).toString('utf8')))
const program = either(ascii('MZ'), ascii('\x7fELF'), ascii('#!'))
const known = either(bmp, gif, jpeg, png, isoMedia, ogg, wav, webm, zip, pdf, rtf, program)
const raw: Sniffer = (sample) => !known(sample)

interface FileType {
  readonly mimeType: string
  readonly sniff: Sniffer
}

const type = (mimeType: string, sniff: Sniffer): FileType => ({ mimeType, sniff })
const all = (extensions: string, fileType: FileType): [string, FileType][] =>
  extensions.split(' ').map((extension) => [extension, fileType])

const MMS: Readonly<Record<string, FileType>> = Object.fromEntries([
  ...all('bmp dib', type('image/bmp', bmp)),
  ...all('gif', type('image/gif', gif)),
  ...all('jpeg jpg', type('image/jpeg', jpeg)),
  ...all('png', type('image/png', png)),
  ...all('m4a m4b m4p m4r', type('audio/mp4', isoMedia)),
  ...all('m4v mp4', type('video/mp4', isoMedia)),
  ...all('m2a mp1 mp2 mp3 mpa', type('audio/mpeg', mpegAudio)),
  ...all('oga ogg spx', type('audio/ogg', ogg)),
  ...all('ogm ogv', type('video/ogg', ogg)),
  ...all('ogx', type('application/ogg', ogg)),
  ...all('txt', type('text/plain', text)),
  ...all('wav', type('audio/wav', wav)),
  ...all('webm', type('video/webm', webm)),
])

const DOCUMENT: Readonly<Record<string, FileType>> = Object.fromEntries([
  ...all('jpg jpeg', type('image/jpeg', jpeg)),
  ...all('png', type('image/png', png)),
  ...all('bmp', type('image/bmp', bmp)),
  ...all('tiff', type('image/tiff', tiff)),
  ...all('raw', type('application/octet-stream', raw)),
  ...all('pdf', type('application/pdf', pdf)),
  ...all('rtf', type('application/rtf', rtf)),
  ...all('xml', type('application/xml', markup)),
  ...all('odt', type('application/vnd.oasis.opendocument.text', zip)),
  ...all(
    'docx',
    type('application/vnd.openxmlformats-officedocument.wordprocessingml.document', zip),
  ),
  ...all('htm', type('text/html', text)),
  ...all('txt', type('text/plain', text)),
])

const TYPES: Readonly<Record<AttachmentKind, Readonly<Record<string, FileType>>>> = {
  mms: MMS,
  document: DOCUMENT,
  evidence: DOCUMENT,
}

const MAX_NAME = 255

export function checkFile(
  kind: AttachmentKind,
  fileName: string,
  sample: FileSample,
): { readonly mimeType: string; readonly problems: readonly Problem[] } {
  const name = checkFileName(fileName)
  if (name !== undefined) return { mimeType: '', problems: [problem(501, ['file'], name)] }
  const extension = /\.([A-Za-z0-9]{1,5})$/.exec(fileName)?.[1]?.toLowerCase() ?? ''
  const types = TYPES[kind]
  const fileType = Object.hasOwn(types, extension) ? types[extension] : undefined
  if (fileType === undefined)
    return refused(
      `allowed are ${Object.keys(types)
        .map((each) => `.${each}`)
        .join(' ')}`,
    )
  if (sample.size === 0) return refused('the file is empty')
  if (!fileType.sniff(sample)) return refused(`the content is not that of a .${extension} file`)
  return { mimeType: fileType.mimeType, problems: [] }
}

function refused(why: string) {
  return { mimeType: '', problems: [problem(546, ['file'], why)] }
}

function checkFileName(fileName: string): string | undefined {
  if (fileName === '') return 'the file has no name'
  if (fileName.length > MAX_NAME) return `the file name is longer than ${MAX_NAME} characters`
  if (/[/\\]/.test(fileName) || fileName.startsWith('.')) return 'the file name has a path'
  return /\p{Cc}/u.test(fileName) ? 'the file name has control characters' : undefined
}
