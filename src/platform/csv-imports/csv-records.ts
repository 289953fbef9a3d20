/**
 * Reads CSV (RFC 4180) as a stream, including the variants that spreadsheets write. The separator (comma,
 * semicolon or tab) is detected from the first line. Lines end with LF, CR or both. The text is UTF-8, or
 * UTF-16 as its BOM or first zero byte shows.
 */

export interface CsvRecord {
  /** Line on which the record begins, from 1. */
  readonly line: number
  readonly fields: readonly string[]
}

/** A record is unreadable: its quotes do not match, or it is too long. */
export class CsvError extends Error {
  override readonly name = 'CsvError'
}

/** Maximum length of a record, characters. */
const MAX_RECORD_CHARS = 10_000

/** Yields the records that are not empty. Throws CsvError after yielding the records before the error. */
export async function* csvRecords(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRecord> {
  let head = ''
  let reader: RecordReader | undefined
  for await (const text of decoded(bytes, () => reader?.line ?? 1)) {
    head += text
    // The separator is known once the first line is complete.
    if (reader === undefined && !/[\r\n]/.test(head) && head.length <= MAX_RECORD_CHARS) continue
    reader ??= new RecordReader(separatorOf(head))
    yield* reader.read(head)
    head = ''
  }
  reader ??= new RecordReader(separatorOf(head))
  yield* reader.read(`${head}\n`)
  reader.end()
}

/** Decodes the chunks. Throws CsvError for bytes that are not text; `line` supplies the position. */
async function* decoded(
  bytes: AsyncIterable<Uint8Array>,
  line: () => number,
): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  const text = (chunk: Uint8Array, isLast: boolean): string => {
    decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true })
    try {
      return decoder.decode(chunk, { stream: !isLast })
    } catch (cause) {
      const where = `after line ${line()}`
      throw new CsvError(`${where} the file is not ${decoder.encoding}: save it as UTF-8`, {
        cause,
      })
    }
  }
  let first = new Uint8Array()
  for await (const chunk of bytes) {
    const known: Uint8Array = first.length === 0 ? chunk : Buffer.concat([first, chunk])
    first = new Uint8Array()
    // Two bytes show the encoding.
    if (decoder === undefined && known.length < 2) first = Uint8Array.from(known)
    else yield text(known, false)
  }
  yield text(first, true)
}

/** Detects the encoding from the BOM, or from the zero byte of a UTF-16 header's first letter. */
function encodingOf([first, second]: Uint8Array): string {
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || first === 0) return 'utf-16be'
  return 'utf-8'
}

const SEPARATORS = [',', ';', '\t']

/** Returns the most frequent separator of the first line; a comma when it has none. */
function separatorOf(head: string): string {
  const [line = ''] = head.split(/[\r\n]/, 1)
  const count = (separator: string): number => line.split(separator).length
  return SEPARATORS.reduce((best, next) => (count(next) > count(best) ? next : best))
}

type Mode = 'start-of-field' | 'plain' | 'quoted' | 'quote-in-quoted'

class RecordReader {
  #mode: Mode = 'start-of-field'
  #fields: string[] = []
  #field = ''
  #chars = 0
  #line = 1
  #startLine = 1
  #last = ''
  readonly #separator: string

  constructor(separator: string) {
    this.#separator = separator
  }

  /** Current line, from 1. */
  get line(): number {
    return this.#line
  }

  /** Throws CsvError when the text ended within quotes. */
  end(): void {
    if (this.#mode === 'quoted')
      throw new CsvError(`line ${this.#startLine} has a quote that does not end`)
  }

  *read(text: string): Generator<CsvRecord> {
    for (const character of text) {
      this.#chars += 1
      if (this.#chars > MAX_RECORD_CHARS)
        throw new CsvError(`line ${this.#startLine} is longer than ${MAX_RECORD_CHARS} characters`)
      // The LF of CR LF ends nothing more.
      const isEnd = character === '\r' || (character === '\n' && this.#last !== '\r')
      this.#last = character
      if (isEnd) this.#line += 1
      if (this.#mode === 'quoted') this.#inQuotes(character)
      else if (isEnd) yield* this.#endRecord()
      else if (character !== '\n') this.#outsideQuotes(character)
    }
  }

  #inQuotes(character: string): void {
    if (character === '"') this.#mode = 'quote-in-quoted'
    else this.#field += character
  }

  #outsideQuotes(character: string): void {
    if (character === this.#separator) this.#endField()
    else if (character === '"' && this.#mode === 'start-of-field') this.#mode = 'quoted'
    else if (character === '"' && this.#mode === 'quote-in-quoted') {
      this.#field += '"'
      this.#mode = 'quoted'
    } else {
      if (this.#mode === 'start-of-field') this.#mode = 'plain'
      this.#field += character
    }
  }

  #endField(): void {
    this.#fields.push(this.#field.trim())
    this.#field = ''
    this.#mode = 'start-of-field'
  }

  *#endRecord(): Generator<CsvRecord> {
    this.#endField()
    const record = { line: this.#startLine, fields: this.#fields }
    this.#fields = []
    this.#chars = 0
    this.#startLine = this.#line
    if (record.fields.some((field) => field !== '')) yield record
  }
}
