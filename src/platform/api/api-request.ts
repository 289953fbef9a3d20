/** How a request reached its operation: through the router, or through the read lane. */
export interface RequestSource {
  readonly method: string
  /** The path without its format suffix. */
  readonly path: string
  /** The absolute URL. */
  readonly url: string
  /** The URL as the client wrote it; a URL object would have encoded parts of it. */
  readonly writtenUrl: string
  /** The peer's IP address; empty when the request came over no socket. */
  readonly peer: string
  readonly raw: Request
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  params(): Readonly<Record<string, string>>
  header(name: string): string | undefined
}

/** A request as an API reads it, beside its parameters and body; each part is read when first needed. */
export class ApiRequest {
  readonly #source: RequestSource
  #search: URLSearchParams | undefined
  #query: string | undefined

  constructor(source: RequestSource) {
    this.#source = source
  }

  get method(): string {
    return this.#source.method
  }

  /** The path without its format suffix. */
  get path(): string {
    return this.#source.path
  }

  get raw(): Request {
    return this.#source.raw
  }

  /** The scheme, host and port that the client asked for. */
  get origin(): string {
    const { url } = this.#source
    return url.slice(0, url.indexOf('/', url.indexOf('://') + 3))
  }

  /** Aborts when the client disconnects. */
  get signal(): AbortSignal {
    return this.#source.signal
  }

  /** The peer's IP address; empty when the request came over no socket. */
  get peer(): string {
    return this.#source.peer
  }

  /** The format that the path ends with: `xml` of `/Calls.xml`. */
  get suffix(): string | undefined {
    return suffixOf(this.#source.url)
  }

  get search(): URLSearchParams {
    this.#search ??= new URLSearchParams(withLiteralComparisons(this.query))
    return this.#search
  }

  /** The query as the client wrote it; empty when there is none. */
  get query(): string {
    this.#query ??= searchOf(this.#source.writtenUrl)
    return this.#query
  }

  params(): Readonly<Record<string, string>> {
    return this.#source.params()
  }

  header(name: string): string | undefined {
    return this.#source.header(name)
  }
}

/** Formats that a path may end with; they are removed before routing. */
const FORMAT_SUFFIX = /\.(xml|wav|mp3|json)$/
/** A path whose own file name ends with a format; its suffix is not removed. */
const KEEPS_SUFFIX = '/openapi.json'

/** Returns the path of an absolute URL without its format suffix. */
export function routingPath(url: string): string {
  return withoutFormat(pathOf(url))
}

/** Returns the path without its format suffix. */
export function withoutFormat(path: string): string {
  return path === KEEPS_SUFFIX ? path : path.replace(FORMAT_SUFFIX, '')
}

function suffixOf(url: string): string | undefined {
  return FORMAT_SUFFIX.exec(pathOf(url))?.[1]
}

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start < 0) return '/'
  const end = url.slice(start).search(/[?#]/)
  return end < 0 ? url.slice(start) : url.slice(start, start + end)
}

/** Encodes the `=` of a parameter such as `StartTime>=`: it belongs to the name and separates nothing. */
function withLiteralComparisons(search: string): string {
  return search.replaceAll(
    /(^|&)(\w+)([<>])=/g,
    (_, before: string, name: string, sign: string) => {
      return `${before}${name}${encodeURIComponent(`${sign}=`)}=`
    },
  )
}

function searchOf(url: string): string {
  const start = url.indexOf('?')
  if (start < 0) return ''
  const end = url.indexOf('#', start)
  return end < 0 ? url.slice(start + 1) : url.slice(start + 1, end)
}
