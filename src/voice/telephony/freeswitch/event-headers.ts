/**
 * The headers of a message of FreeSWITCH, which has some 200 in six kilobytes: each is looked for in
 * the text when somebody asks for it, which few are.
 */
export interface Headers {
  /** The value of a header; undefined when there is none. */
  get(name: string): unknown
  names(): readonly string[]
}

const LENGTH = 'Content-Length'

/** The headers of an event in JSON: one object, whose values are texts. */
export class JsonHeaders implements Headers {
  readonly #text: string
  #fields: Readonly<Record<string, unknown>> | undefined

  /** Undefined for a text that is no object. */
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

/** The fields of an object in JSON; none where it is wrong. */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    // An object of JSON has fields by name.
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
    // The last one counts where there are several.
    const line = text.lastIndexOf(`\n${name}: `)
    if (line === -1) return text.includes(`\n${name}\n`) ? '' : undefined
    const value = decodeLoosely(text.slice(line + name.length + 3, text.indexOf('\n', line + 1)))
    return name === LENGTH ? Number.parseInt(value, 10) : value
  }

  names(): readonly string[] {
    return this.#text.split('\n').flatMap((line) => line.split(': ', 1).filter(Boolean))
  }
}

/** A stray `%` is a `%`. */
function decodeLoosely(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch (err) {
    if (err instanceof URIError) return text
    throw err
  }
}
