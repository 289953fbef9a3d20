/** multipart/form-data (RFC 7578): finds the one part called `file`. Pure. */

export interface FilePart {
  readonly fileName: string
  readonly bytes: Buffer
}

export type MultipartResult =
  | { readonly type: 'file'; readonly file: FilePart }
  | { readonly type: 'broken'; readonly why: string }

const CRLF = Buffer.from('\r\n')
const HEADERS_END = Buffer.from('\r\n\r\n')
const MAX_PARTS = 20
const MAX_PART_HEADERS = 8 * 1024

export function boundaryOf(contentType: string): string | undefined {
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) return undefined
  const [, quoted, plain] =
    /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  return quoted ?? plain
}

export function findFilePart(body: Buffer, boundary: string): MultipartResult {
  // So that the first delimiter is one like the others (RFC 2046 §5.1.1).
  const text = Buffer.concat([CRLF, body])
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const files: FilePart[] = []
  let at = text.indexOf(delimiter)
  for (let parts = 0; at >= 0; parts += 1) {
    if (parts > MAX_PARTS) return broken('too many parts')
    const afterDelimiter = at + delimiter.length
    if (text.subarray(afterDelimiter, afterDelimiter + 2).toString('latin1') === '--')
      return onlyOne(files)
    const headersAt = text.indexOf(CRLF, afterDelimiter)
    const next = text.indexOf(delimiter, afterDelimiter)
    const bodyAt = headersAt < 0 ? -1 : text.indexOf(HEADERS_END, headersAt)
    if (next < 0) return broken('the last part does not end')
    if (bodyAt < 0 || bodyAt > next || bodyAt - headersAt > MAX_PART_HEADERS)
      return broken('a part has no headers')
    const headers = text.subarray(headersAt, bodyAt).toString('utf8')
    const bytes = text.subarray(bodyAt + HEADERS_END.length, Math.max(next, bodyAt + 4))
    const fileName = fileNameOf(headers)
    if (fileName !== undefined) files.push({ fileName, bytes: Buffer.from(bytes) })
    at = next
  }
  return broken('there is no closing delimiter')
}

function onlyOne(files: readonly FilePart[]): MultipartResult {
  const [file] = files
  if (file === undefined) return broken('there is no part called file')
  return files.length > 1 ? broken('one file per call') : { type: 'file', file }
}

/** The name of a part called `file`; undefined for any other part. */
function fileNameOf(headers: string): string | undefined {
  const line = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(headers)?.[1] ?? ''
  if (parameter(line, 'name') !== 'file') return undefined
  return parameter(line, 'filename')
}

function parameter(line: string, name: string): string | undefined {
  const pattern = new RegExp(`(?:^|;)\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i')
  const [, quoted, plain] = pattern.exec(line) ?? []
  return quoted?.replaceAll(/\\(["\\])/g, '$1') ?? plain
}

function broken(why: string): MultipartResult {
  return { type: 'broken', why }
}
