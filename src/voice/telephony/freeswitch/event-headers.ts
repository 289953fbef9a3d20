/**
 * The headers of a FreeSWITCH message. A message has about 200 headers in 6 kB, of which few are
 * read, so a header is searched in the text only on demand.
 */
export interface Headers {
  /** Returns the value of a header; undefined when absent. */
  get(name: string): unknown
  names(): readonly string[]
}

const LENGTH = 'Content-Length'

/** Headers of an event in JSON: one object with string values. */
export class JsonHeaders implements Headers {
  readonly #text: string
  #fields: Readonly<Record<string, unknown>> | undefined

  /** Returns undefined for a text that is not an object. */
  static of(text: string): JsonHeaders | undefined {
    return /^\s*\{/.test(text) && /\}\s*$/.test(text) ? new JsonHeaders(text) : undefined
  }

  private constructor(text: string) {
    this.#text = text
  }

  get(name: string): unknown {
    const value = this.#fields === undefined ? this.#find(name) : this.#own(name)
    return name === LENGTH && typeof value === 'string' ? Number.parseInt(value, 10) : value
  }

  names(): readonly string[] {
    return Object.keys(this.#parsed())
  }

  #find(name: string): unknown {
    const text = this.#text
    const key = text.indexOf(`"${name}"`)
    if (key === -1) return undefined
    const start = key + name.length + 4
    const end = text.indexOf('"', start)
    const value = text.slice(start, end)
    const isPlain = text[key - 1] !== '\\' && text.startsWith('":"', start - 3) && end !== -1
    return isPlain && !value.includes('\\') ? value : this.#own(name)
  }

  #own(name: string): unknown {
    const fields = this.#parsed()
    return Object.hasOwn(fields, name) ? fields[name] : undefined
  }

  #parsed(): Readonly<Record<string, unknown>> {
    this.#fields ??= objectIn(this.#text)
    return this.#fields
  }
}

/** Returns the fields of a JSON object; none when the JSON is malformed. */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    // A JSON object has string keys.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch (err) {
    if (err instanceof SyntaxError) return {}
    throw err
  }
}

/** Headers as lines `Name: value`. Most values are URL-encoded. */
export class LineHeaders implements Headers {
  readonly #text: string

  constructor(text: string) {
    this.#text = `\n${text}\n`
  }

  get(name: string): unknown {
    const text = this.#text
    // The last header wins when a name repeats.
    const line = text.lastIndexOf(`\n${name}: `)
    if (line === -1) return text.includes(`\n${name}\n`) ? '' : undefined
    const value = decodeLoosely(text.slice(line + name.length + 3, text.indexOf('\n', line + 1)))
    return name === LENGTH ? Number.parseInt(value, 10) : value
  }

  names(): readonly string[] {
    return this.#text.split('\n').flatMap((line) => line.split(': ', 1).filter(Boolean))
  }
}

/** Decodes URL encoding; leaves a text with a stray `%` unchanged. */
function decodeLoosely(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch (err) {
    if (err instanceof URIError) return text
    throw err
  }
}
