/** Parses multipart/form-data (RFC 7578) as it arrives, and finds the one part named `file`. Pure. */

export type MultipartPiece =
  | { readonly type: 'file-begins'; readonly fileName: string }
  | { readonly type: 'file-bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'broken'; readonly why: string }

const CRLF = Buffer.from('\r\n')
const HEADERS_END = Buffer.from('\r\n\r\n')
const CLOSING = '--'
const MAX_PARTS = 20
const MAX_PART_HEADERS = 8 * 1024

export function boundaryOf(contentType: string): string | undefined {
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) return undefined
  const [, quoted, plain] =
    /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  return quoted ?? plain
}

/**
 * State of the scanner: in a skipped part or before the first, in the file, after a delimiter, in headers, or
 * at the end.
 */
type Place = 'skipped' | 'file' | 'delimited' | 'headers' | 'closed'

/**
 * Scans a multipart body. It buffers at most a delimiter and a part's headers; the file's bytes are passed on
 * at once.
 */
export class MultipartScanner {
  readonly #delimiter: Buffer
  // The buffer starts with a line break, so that the first delimiter looks like the others (RFC
  // 2046 §5.1.1).
  #held: Buffer = CRLF
  #place: Place = 'skipped'
  #parts = 0
  #files = 0

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`)
  }

  /** Takes the next bytes of the body; must not be called after a `broken` piece. */
  *feed(chunk: Uint8Array): Generator<MultipartPiece> {
    this.#held = Buffer.concat([this.#held, chunk])
    for (;;) {
      const before = this.#held.length
      const place = this.#place
      yield* this.#step()
      if (this.#place === place && this.#held.length === before) return
    }
  }

  /** Returns the reason why the body is incomplete or lacks its one file; undefined when it is complete. */
  end(): string | undefined {
    if (this.#place !== 'closed') return 'there is no closing delimiter'
    return this.#files === 0 ? 'there is no part called file' : undefined
  }

  *#step(): Generator<MultipartPiece> {
    switch (this.#place) {
      case 'skipped':
      case 'file':
        yield* this.#body()
        return
      case 'delimited':
        yield* this.#afterDelimiter()
        return
      case 'headers':
        yield* this.#headers()
        return
      case 'closed':
        this.#held = Buffer.alloc(0)
    }
  }

  *#body(): Generator<MultipartPiece> {
    const at = this.#held.indexOf(this.#delimiter)
    // Without a delimiter, all bytes are passed on except a possible start of one.
    const length = at < 0 ? Math.max(this.#held.length - this.#delimiter.length + 1, 0) : at
    const bytes = this.#held.subarray(0, length)
    if (this.#place === 'file' && length > 0) yield { type: 'file-bytes', bytes }
    this.#held = this.#held.subarray(at < 0 ? length : at + this.#delimiter.length)
    if (at >= 0) this.#place = 'delimited'
  }

  *#afterDelimiter(): Generator<MultipartPiece> {
    if (this.#held.length < CLOSING.length) return
    if (this.#held.subarray(0, CLOSING.length).toString('latin1') === CLOSING) {
      this.#place = 'closed'
      return
    }
    this.#parts += 1
    this.#place = 'headers'
    if (this.#parts > MAX_PARTS) yield { type: 'broken', why: 'there are too many parts' }
  }

  *#headers(): Generator<MultipartPiece> {
    const next = this.#held.indexOf(this.#delimiter)
    const end = this.#held.indexOf(HEADERS_END)
    const length = end < 0 ? this.#held.length - HEADERS_END.length : end
    if (length > MAX_PART_HEADERS || (next >= 0 && (end < 0 || next < end))) {
      yield { type: 'broken', why: 'a part has no headers' }
      return
    }
    if (end < 0) return
    const fileName = fileNameOf(this.#held.subarray(0, end).toString('utf8'))
    this.#held = this.#held.subarray(end + HEADERS_END.length)
    this.#place = fileName === undefined ? 'skipped' : 'file'
    if (fileName === undefined) return
    this.#files += 1
    yield this.#files > 1
      ? { type: 'broken', why: 'one file per call' }
      : { type: 'file-begins', fileName }
  }
}

/** The file name of a part named `file`; undefined for any other part. */
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
