import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

export interface SinkRequest {
  readonly method: string
  /** Path and query as received. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The form of a POST, else the query, in order of appearance. */
  readonly params: readonly (readonly [string, string])[]
  /** Connection number, from 1. */
  readonly connection: number
}

export interface SinkAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Buffer
  /** `headers`: never sends anything. `body`: sends the headers and half of the body. */
  readonly hang?: 'headers' | 'body'
  /** Closes the connection instead of answering. */
  readonly drop?: boolean
  /** Interval at which single bytes of the body are sent, ms. */
  readonly trickleMs?: number
  /** Bytes to write instead of an HTTP response; then the connection is closed. */
  readonly raw?: string | Buffer
  /** The answer is delayed until this promise resolves. */
  readonly after?: Promise<unknown>
}

type Script = (request: SinkRequest) => SinkAnswer

export interface SinkTls {
  readonly key: string
  readonly cert: string
}

const WAIT_MS = 15_000

/** A scriptable web server on loopback that records every request. */
export class HttpSink implements AsyncDisposable {
  readonly requests: SinkRequest[] = []
  /** Number of connections accepted so far. */
  connections = 0
  readonly #server: Server
  readonly #answers: SinkAnswer[] = []
  readonly #unread: SinkRequest[] = []
  readonly #readers = new Set<() => void>()
  #script: Script = () => ({})

  private constructor(tls: SinkTls | undefined) {
    this.#server = tls === undefined ? createServer() : createSecureServer(tls)
    // Tests count connections, so none may be closed because of a paused machine.
    this.#server.keepAliveTimeout = 120_000
    const numbers = new WeakMap<Socket, number>()
    this.#server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      this.connections += 1
      numbers.set(socket, this.connections)
      socket.on('error', () => undefined) // many tests hang up on purpose
    })
    this.#server.on('request', (incoming, response) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => {
        const body = Buffer.concat(chunks)
        const request: SinkRequest = {
          method: incoming.method ?? '',
          target: incoming.url ?? '',
          headers: incoming.headers,
          body,
          params: paramsOf(incoming.method ?? '', incoming.url ?? '', body),
          connection: numbers.get(incoming.socket) ?? 0,
        }
        this.requests.push(request)
        this.#unread.push(request)
        for (const reader of this.#readers) reader()
        void perform(this.#answers.shift() ?? this.#script(request), response)
      })
    })
  }

  /** Starts a sink; `port` is that of a killed sink to replace. */
  static async start(tls?: SinkTls, port = 0, host = '127.0.0.1'): Promise<HttpSink> {
    const sink = new HttpSink(tls)
    sink.#server.listen(port, host)
    await once(sink.#server, 'listening')
    return sink
  }

  /** Idle time after which a connection is closed, ms; clients are notified in a header. */
  set keepAliveMs(ms: number) {
    this.#server.keepAliveTimeout = ms
  }

  get port(): number {
    return this.#place.port
  }

  get #place(): AddressInfo {
    return this.#server.address() as AddressInfo // a TCP server has one
  }

  get url(): string {
    const { address, family, port } = this.#place
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
  }

  /** Queues answers for the next requests, in order; the script answers later requests. */
  answer(...answers: readonly SinkAnswer[]): void {
    this.#answers.push(...answers)
  }

  /** Sets the answer to requests without a queued one. Default: 200 without a body. */
  script(script: Script): void {
    this.#script = script
  }

  /** Resolves with the oldest request that no `next` has returned yet. */
  async next(): Promise<SinkRequest> {
    await this.until(() => this.#unread.length > 0)
    const request = this.#unread.shift()
    if (request === undefined) throw new Error('the request is gone')
    return request
  }

  /** Waits until `isReached` is true; it is checked at each request. */
  async until(isReached: () => boolean): Promise<void> {
    if (isReached()) return
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#readers.delete(reader)
        reject(new Error(`not reached after ${WAIT_MS} ms and ${this.requests.length} requests`))
      }, WAIT_MS)
      const reader = (): void => {
        if (!isReached()) return
        clearTimeout(timer)
        this.#readers.delete(reader)
        resolve()
      }
      this.#readers.add(reader)
    })
  }

  /** Closes all connections, busy or idle, and keeps listening. */
  cut(): void {
    this.#server.closeAllConnections()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

function paramsOf(method: string, target: string, body: Buffer): readonly [string, string][] {
  const query = target.includes('?') ? target.slice(target.indexOf('?') + 1) : ''
  return [...new URLSearchParams(method === 'POST' ? body.toString('utf8') : query)]
}

async function perform(answer: SinkAnswer, response: ServerResponse): Promise<void> {
  await answer.after
  if (answer.hang === 'headers') return
  if (answer.drop === true) {
    response.socket?.destroy()
    return
  }
  if (answer.raw !== undefined) {
    response.socket?.end(answer.raw)
    return
  }
  const body = Buffer.from(answer.body ?? '')
  response.writeHead(answer.status ?? 200, { 'content-length': body.length, ...answer.headers })
  if (answer.hang === 'body') {
    response.write(body.subarray(0, Math.ceil(body.length / 2)))
    return
  }
  if (answer.trickleMs !== undefined) {
    trickle(response, body, answer.trickleMs)
    return
  }
  response.end(body)
}

function trickle(response: ServerResponse, body: Buffer, everyMs: number): void {
  let sent = 0
  const timer = setInterval(() => {
    if (response.destroyed || sent === body.length) {
      clearInterval(timer)
      response.end()
      return
    }
    response.write(body.subarray(sent, sent + 1))
    sent += 1
  }, everyMs)
  response.on('close', () => {
    clearInterval(timer)
  })
}
