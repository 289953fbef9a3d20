import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/**
 * The parts of a request that an API reads besides its parameters and body; each is read when asked
 * for.
 */
export class ApiRequest {
  readonly #context: Context
  #search: URLSearchParams | undefined

  constructor(context: Context) {
    this.#context = context
  }

  get method(): string {
    return this.#context.req.method
  }

  /** The path as it was routed: without its suffix. */
  get path(): string {
    return this.#context.req.path
  }

  get raw(): Request {
    return this.#context.req.raw
  }

  /** The scheme, host and port that the client asked for. */
  get origin(): string {
    const { url } = this.#context.req
    return url.slice(0, url.indexOf('/', url.indexOf('://') + 3))
  }

  /** Aborts when the client goes away. */
  get signal(): AbortSignal {
    return this.#context.req.raw.signal
  }

  /** The address of the connection's other end; empty for a request that no socket brought. */
  get peer(): string {
    const { incoming } = (this.#context.env as Partial<HttpBindings> | undefined) ?? {}
    return incoming?.socket.remoteAddress ?? ''
  }

  /** The format that the path ends with: `xml` of `/Calls.xml`. */
  get suffix(): string | undefined {
    return suffixOf(this.#context.req.url)
  }

  get search(): URLSearchParams {
    this.#search ??= new URLSearchParams(withLiteralComparisons(searchOf(this.#writtenUrl)))
    return this.#search
  }

  /** The URL as the client wrote it; a URL object would have encoded parts of it. */
  get #writtenUrl(): string {
    const { incoming } = (this.#context.env as Partial<HttpBindings> | undefined) ?? {}
    return incoming?.url ?? this.#context.req.url
  }

  /** True when the URL has a query, however empty. */
  get hasSearch(): boolean {
    return this.#context.req.url.includes('?')
  }

  params(): Readonly<Record<string, string>> {
    return this.#context.req.param()
  }

  header(name: string): string | undefined {
    return this.#context.req.header(name)
  }
}

/**
 * The formats that a path may end with. They are no part of the resource and are removed before
 * routing.
 */
const FORMAT_SUFFIX = /\.(xml|wav|mp3|json)$/
/** The paths of files whose own names end with a format. */
const KEEPS_SUFFIX = new Set(['/openapi.json'])

/** The path of an absolute URL, without the format that it may end with. */
export function routingPath(url: string): string {
  const path = pathOf(url)
  return KEEPS_SUFFIX.has(path) ? path : path.replace(FORMAT_SUFFIX, '')
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

/**
 * Encodes the `=` of a parameter such as `StartTime>=`, which belongs to its name and is no
 * separator.
 */
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
