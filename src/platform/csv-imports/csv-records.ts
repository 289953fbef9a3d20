/** Reads CSV (RFC 4180) as it comes. Line ends may be LF alone, and the file may begin with a BOM. */

export interface CsvRecord {
  /** The line on which the record begins, from 1. */
  readonly line: number
  readonly fields: readonly string[]
}

/** A record that cannot be read: its quotes do not match, or it is too long. */
export class CsvError extends Error {
  override readonly name = 'CsvError'
}

/** The most characters of one record. */
const MAX_RECORD_CHARS = 10_000

/** Yields the records that are not empty. Throws CsvError; the records before have been yielded. */
export async function* csvRecords(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRecord> {
  const decoder = new TextDecoder()
  const reader = new RecordReader()
  for await (const chunk of bytes) yield* reader.read(decoder.decode(chunk, { stream: true }))
  yield* reader.read(`${decoder.decode()}\n`)
  reader.end()
}

type Mode = 'start-of-field' | 'plain' | 'quoted' | 'quote-in-quoted'

class RecordReader {
  #mode: Mode = 'start-of-field'
  #fields: string[] = []
  #field = ''
  #chars = 0
  #line = 1
  #startLine = 1

  /** Throws CsvError when the text has ended within quotes. */
  end(): void {
    if (this.#mode === 'quoted')
      throw new CsvError(`line ${this.#startLine} has a quote that does not end`)
  }

  *read(text: string): Generator<CsvRecord> {
    for (const character of text) {
      this.#chars += 1
      if (this.#chars > MAX_RECORD_CHARS)
        throw new CsvError(`line ${this.#startLine} is longer than ${MAX_RECORD_CHARS} characters`)
      if (character === '\n') this.#line += 1
      if (this.#mode === 'quoted') this.#inQuotes(character)
      else if (character === '\n') yield* this.#endRecord()
      else this.#outsideQuotes(character)
    }
  }

  #inQuotes(character: string): void {
    if (character === '"') this.#mode = 'quote-in-quoted'
    else this.#field += character
  }

  #outsideQuotes(character: string): void {
    if (character === ',') this.#endField()
    else if (character === '"' && this.#mode === 'start-of-field') this.#mode = 'quoted'
    else if (character === '"' && this.#mode === 'quote-in-quoted') {
      this.#field += '"'
      this.#mode = 'quoted'
    } else if (character !== '\r') {
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
