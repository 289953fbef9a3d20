import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiRequest, type RequestSource, withoutFormat } from './api-request.js'
import type { Answer, TextAnswer } from './write-answer.js'

/** Serves one operation, whether a request came from the router or from the lane. */
interface Server {
  answer(request: ApiRequest): Promise<Answer>
}

interface Route {
  /** undefined when the router serves the route. */
  readonly server: Server | undefined
  readonly names: readonly string[]
  /** Number of routes before it; where two match, the first one wins. */
  readonly order: number
}

/** Routes with the same first segments. */
interface Branch {
  readonly literal: Map<string, Branch>
  parameter: Branch | undefined
  route: Route | undefined
}

interface Found {
  readonly server: Server
  readonly params: Readonly<Record<string, string>>
}

/** A path without escapes and dot segments, so that it has one spelling. */
const PLAIN_PATH = /^(?:\/[A-Za-z0-9_+@:,~-][A-Za-z0-9_+@:,~.-]*)+$/
/** A query that no URL parser would cut. */
const PLAIN_QUERY = /^[^#\\]*$/
/** A host with an optional port other than the scheme's own, in canonical spelling. */
const PLAIN_HOST = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}|6[0-4]\d{3}))?$/

/**
 * Serves GET requests without the router's objects per request, by the same `answer`. Requests in an unusual
 * spelling are left to the router.
 */
export class ReadLane {
  readonly #root: Branch = newBranch()
  /** Path prefixes that the router serves, with their order. */
  readonly #closed: { readonly prefix: string; readonly order: number }[] = []
  #count = 0
  /** Answers to send at the end of this tick. */
  readonly #ready: { readonly answer: Answer; readonly outgoing: ServerResponse }[] = []

  /**
   * Adds the read at a path such as `/brand/{brandId}`. Without a `server` the router serves the path, since
   * its answer is not text.
   */
  add(template: string, server: Server | undefined): void {
    const names: string[] = []
    let branch = this.#root
    for (const segment of template.split('/').slice(1)) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1]
      if (name !== undefined) names.push(name)
      branch = name === undefined ? literalOf(branch, segment) : parameterOf(branch)
    }
    branch.route ??= { server, names, order: this.#next() }
  }

  /** Leaves all other paths with this prefix to the router, even if a read is added later. */
  close(prefix: string): void {
    this.#closed.push({ prefix, order: this.#next() })
  }

  /** Serves the request if it can; returns false to leave it to the router. */
  take(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const { method, url = '', headers } = incoming
    if (method !== 'GET' || hasBody(incoming) || !PLAIN_HOST.test(headers.host ?? '')) return false
    const question = url.indexOf('?')
    const path = question < 0 ? url : url.slice(0, question)
    if (!PLAIN_PATH.test(path) || !PLAIN_QUERY.test(url)) return false
    const routed = withoutFormat(path)
    const found = this.#find(routed)
    if (found === undefined) return false
    const request = new ApiRequest(new SocketSource(incoming, outgoing, routed, found.params))
    found.server.answer(request).then(
      (answer) => {
        this.#sendSoon(answer, outgoing)
      },
      (error: unknown) => {
        // The server answers every error of an operation itself.
        outgoing.destroy(error instanceof Error ? error : new Error(String(error)))
      },
    )
    return true
  }

  /** Queues an answer until the end of this tick: several answers to one client then wake it once. */
  #sendSoon(answer: Answer, outgoing: ServerResponse): void {
    this.#ready.push({ answer, outgoing })
    if (this.#ready.length > 1) return
    setImmediate(() => {
      for (const each of this.#ready.splice(0)) send(each.answer, each.outgoing)
    })
  }

  #find(path: string): Found | undefined {
    const segments = path.split('/')
    const values: string[] = []
    const found = firstOf(this.#root, segments, 1, values)
    if (found === undefined) return undefined
    const { order } = found.route
    if (this.#closed.some((each) => each.order < order && path.startsWith(each.prefix)))
      return undefined
    const { server } = found.route
    if (server === undefined) return undefined
    const params: Record<string, string> = {}
    found.route.names.forEach((name, index) => {
      params[name] = found.values[index] ?? ''
    })
    return { server, params }
  }

  #next(): number {
    this.#count += 1
    return this.#count
  }
}

/** Returns the first route that matches the segments from `at`, with its parameter values. */
function firstOf(
  branch: Branch,
  segments: readonly string[],
  at: number,
  values: readonly string[],
): { readonly route: Route; readonly values: readonly string[] } | undefined {
  if (at === segments.length) return branch.route && { route: branch.route, values }
  const segment = segments[at] ?? ''
  const literal = branch.literal.get(segment)
  const one = literal && firstOf(literal, segments, at + 1, values)
  const other =
    branch.parameter && firstOf(branch.parameter, segments, at + 1, [...values, segment])
  if (one === undefined || other === undefined) return one ?? other
  return one.route.order < other.route.order ? one : other
}

function newBranch(): Branch {
  return { literal: new Map(), parameter: undefined, route: undefined }
}

function literalOf({ literal }: Branch, segment: string): Branch {
  const known = literal.get(segment)
  if (known !== undefined) return known
  const made = newBranch()
  literal.set(segment, made)
  return made
}

function parameterOf(branch: Branch): Branch {
  branch.parameter ??= newBranch()
  return branch.parameter
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/** A request from the socket. */
class SocketSource implements RequestSource {
  readonly method = 'GET'
  readonly path: string
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  readonly #params: Readonly<Record<string, string>>
  #gone: AbortController | undefined

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    path: string,
    params: Readonly<Record<string, string>>,
  ) {
    this.path = path
    this.#incoming = incoming
    this.#outgoing = outgoing
    this.#params = params
  }

  get url(): string {
    return `http://${this.#incoming.headers.host ?? ''}${this.writtenUrl}`
  }

  get writtenUrl(): string {
    return this.#incoming.url ?? ''
  }

  get peer(): string {
    return this.#incoming.socket.remoteAddress ?? ''
  }

  get raw(): Request {
    const { rawHeaders } = this.#incoming
    const headers = new Headers()
    for (let at = 0; at + 1 < rawHeaders.length; at += 2)
      headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
    return new Request(this.url, { headers, signal: this.signal })
  }

  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      const gone = new AbortController()
      this.#gone = gone
      this.#outgoing.once('close', () => {
        if (!this.#outgoing.writableFinished) gone.abort(new Error('the client went away'))
      })
    }
    return this.#gone.signal
  }

  params(): Readonly<Record<string, string>> {
    return this.#params
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name.toLowerCase()]
    return typeof value === 'object' ? value.join(', ') : value
  }
}

/** Sends an answer; a failure ends this connection only. */
function send(answer: Answer, outgoing: ServerResponse): void {
  const fail = (error: unknown): void => {
    outgoing.destroy(error instanceof Error ? error : new Error(String(error)))
  }
  try {
    if (answer instanceof Response) sendResponse(answer, outgoing).catch(fail)
    else sendText(answer, outgoing)
  } catch (error) {
    fail(error)
  }
}

function sendText({ status, headers, text }: TextAnswer, outgoing: ServerResponse): void {
  if (text === null) {
    outgoing.writeHead(status, headers)
    outgoing.end()
    return
  }
  // An array of names and values: spreading them into an object is slow in V8.
  const list: string[] = []
  for (const name of Object.keys(headers)) list.push(name, headers[name] ?? '')
  list.push('content-length', String(Buffer.byteLength(text)))
  outgoing.writeHead(status, list)
  outgoing.end(text)
}

/** Sends a Response that an operation made itself, such as the 503 of a health check. */
async function sendResponse(answer: Response, outgoing: ServerResponse): Promise<void> {
  const bytes = Buffer.from(await answer.arrayBuffer())
  const headers = { ...Object.fromEntries(answer.headers), 'content-length': bytes.length }
  outgoing.writeHead(answer.status, headers)
  outgoing.end(bytes)
}
