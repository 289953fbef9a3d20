/** The kinds of files that a letter of authorisation may be: what scanners and phones make. Pure. */
import type { FileSample } from '../platform/uploads/file-sample.js'
import { jpeg, pdf, png, type Sniffer, tiff } from '../platform/uploads/file-signatures.js'

interface LetterType {
  readonly mimeType: string
  readonly extensions: readonly string[]
  readonly sniff: Sniffer
}

const TYPES: readonly LetterType[] = [
  { mimeType: 'application/pdf', extensions: ['pdf'], sniff: pdf },
  { mimeType: 'image/jpeg', extensions: ['jpg', 'jpeg'], sniff: jpeg },
  { mimeType: 'image/png', extensions: ['png'], sniff: png },
  { mimeType: 'image/tiff', extensions: ['tif', 'tiff'], sniff: tiff },
]
const ALLOWED = TYPES.flatMap(({ extensions }) => extensions.map((each) => `.${each}`)).join(' ')
const MAX_NAME = 255

/** The type of a letter by its name and content, or what is wrong with it. */
export function letterType(
  fileName: string,
  sample: FileSample,
): { readonly mimeType: string } | { readonly problem: string } {
  if (fileName === '') return { problem: 'file: it has no name' }
  if (fileName.length > MAX_NAME)
    return { problem: `file: its name is longer than ${MAX_NAME} characters` }
  if (/[/\\]|\p{Cc}/u.test(fileName) || fileName.startsWith('.'))
    return { problem: 'file: its name has a path or control characters' }
  if (sample.size === 0) return { problem: 'file: it is empty' }
  const extension = /\.([A-Za-z0-9]{1,5})$/.exec(fileName)?.[1]?.toLowerCase() ?? ''
  const type = TYPES.find(({ extensions }) => extensions.includes(extension))
  if (type === undefined) return { problem: `file: allowed are ${ALLOWED}` }
  return type.sniff(sample)
    ? { mimeType: type.mimeType }
    : { problem: `file: its content is not that of a .${extension} file` }
}
