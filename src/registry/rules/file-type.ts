/** The allowed types of attached files, and the check of content against file name. Pure. */

import type { FileSample } from '../../platform/uploads/file-sample.js'
import {
  bmp,
  gif,
  isoMedia,
  jpeg,
  markup,
  mpegAudio,
  ogg,
  pdf,
  png,
  raw,
  rtf,
  type Sniffer,
  text,
  tiff,
  wav,
  webm,
  zip,
} from '../../platform/uploads/file-signatures.js'
import { type Problem, problem } from '../model/registry-error.js'

export type AttachmentKind = 'mms' | 'document' | 'evidence'

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
