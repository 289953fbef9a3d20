import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib'
import { Client } from 'undici'
import { linkAbort, reasonOf, withAbort } from '../async/abort.js'
import { kindOfExchangeFailure, OutboundError } from './outbound-error.js'
import type { Hop } from './outbound-request.js'

export interface Exchange extends Hop {
  readonly headers: Readonly<Record<string, string>>
  /** Time limit of the exchange, ms; undefined when the signal ends it in time. */
  readonly responseTimeoutMs: number | undefined
  readonly maxBodyBytes: number
  readonly ignoresBody: (headers: Headers) => boolean
}

export interface ExchangeResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
  readonly timings: { readonly connectMs: number; readonly headersMs: number }
}

const MAX_HEADER_BYTES = 16 * 1024
const IDLE_MS = 4_000
/** Maximum idle time accepted from a server's keep-alive promise, ms. */
const MAX_IDLE_MS = 60_000

type Decode = (body: Buffer, options: ZlibOptions) => Promise<Buffer>

const decodeGzip: Decode = promisify(gunzip)
const DECODERS: ReadonlyMap<string, Decode> = new Map([
  ['gzip', decodeGzip],
  // RFC 9110 §8.4.1.3
  ['x-gzip', decodeGzip],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
])

/** Minimum length by which an interim response is recognised: `HTTP/1.1 100`. */
const STATUS_BYTES = 12
/** Every 1xx but 101, which would switch the protocol. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d/
const END_OF_HEADERS = '\r\n\r\n'

/**
 * One connection to one origin, for one exchange at a time. It never reconnects: a new connection needs a new
 * address check, by `openSocket`.
 */
export class Connection {
  readonly #client: Client
  readonly #socket: Socket
  readonly #interim: InterimResponses
  readonly #monotonic: () => number
  readonly #connectMs: number
  #exchanges = 0
  #isBroken = false

  constructor(
    origin: string,
    socket: Socket,
    { monotonic, connectMs }: { readonly monotonic: () => number; readonly connectMs: number },
  ) {
    this.#socket = socket
    this.#interim = new InterimResponses(socket, MAX_HEADER_BYTES)
    this.#monotonic = monotonic
    this.#connectMs = connectMs
    let isHandedOver = false
    this.#client = new Client(origin, {
      connect: (_options, callback) => {
        const wasHandedOver = isHandedOver
        isHandedOver = true
        // Undici loses the request when it is called back before `connect` has returned.
        queueMicrotask(() => {
          if (wasHandedOver) callback(new Error('the connection is gone'), null)
          else callback(null, socket)
        })
      },
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      // Undici's own clocks tick in half seconds; the exchange keeps its limits itself.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  /** True when an earlier exchange used the connection: the server may close it while we write. */
  get isReused(): boolean {
    return this.#exchanges > 1
  }

  /** True once a byte of the response to the last exchange has arrived. */
  get hasAnswer(): boolean {
    return this.#interim.hasAnswer
  }

  get isUsable(): boolean {
    return !this.#isBroken && !this.#socket.destroyed && this.#socket.writable
  }

  /** Calls back once either side has closed the connection. */
  onClosed(listener: () => void): void {
    this.#socket.once('close', listener)
  }

  /**
   * Makes one exchange. On failure rejects with OutboundError or the signal's reason, and closes the
   * connection.
   */
  async exchange(exchange: Exchange, signal: AbortSignal): Promise<ExchangeResponse> {
    this.#exchanges += 1
    const reason = (): Error => new OutboundError('response-timeout', exchange.url.href)
    const { responseTimeoutMs: ms } = exchange
    using either = linkAbort([signal], ms === undefined ? undefined : { ms, reason })
    try {
      return await withAbort(this.#run(exchange), either.signal)
    } catch (error) {
      await this.close()
      if (either.signal.aborted) throw reasonOf(either.signal)
      if (error instanceof OutboundError) throw error
      throw new OutboundError(kindOfExchangeFailure(error), exchange.url.href, error)
    }
  }

  async close(): Promise<void> {
    this.#isBroken = true
    void this.#client.destroy() // it resolves whatever happens; the socket is what is waited for
    if (this.#socket.closed) return
    await new Promise<void>((resolve) => {
      this.onClosed(resolve)
      this.#socket.destroy()
    })
  }

  async #run(exchange: Exchange): Promise<ExchangeResponse> {
    const startedAt = this.#monotonic()
    const sent = sentBody(exchange.body)
    this.#interim.expect()
    const response = await this.#client.request({
      path: exchange.url.pathname + exchange.url.search,
      method: exchange.method,
      headers: { ...exchange.headers, ...sent.headers, host: exchange.url.host },
      body: sent.body,
    })
    const timings = {
      connectMs: this.isReused ? 0 : this.#connectMs,
      headersMs: this.#monotonic() - startedAt,
    }
    const headers = headersOf(response.headers)
    const isIgnored = exchange.ignoresBody(headers)
    const decode = isIgnored ? undefined : decoderFor(headers, exchange)
    // Undici's body yields Buffers unless an encoding is set.
    const received = await this.#read(response.body as AsyncIterable<Buffer>, exchange, isIgnored)
    const body = decode === undefined ? received : await decode(received)
    return { status: response.statusCode, headers, body, timings }
  }

  async #read(
    chunks: AsyncIterable<Buffer>,
    exchange: Exchange,
    isIgnored: boolean,
  ): Promise<Buffer> {
    const kept: Buffer[] = []
    let size = 0
    for await (const chunk of chunks) {
      size += chunk.length
      if (size > exchange.maxBodyBytes) {
        if (!isIgnored) throw new OutboundError('too-large', exchange.url.href)
        // Leaving the loop abandons the rest of the response, and with it the connection.
        this.#isBroken = true
        break
      }
      kept.push(chunk)
    }
    return Buffer.concat(kept)
  }
}

/**
 * Removes interim responses before the HTTP client reads them: they may precede any response (RFC 9110 §15.2),
 * and undici closes the connection at a `100 Continue`. Create it before the client listens.
 */
export class InterimResponses {
  readonly #connection: Readable
  readonly #maxBytes: number
  #held: Buffer = Buffer.alloc(0)
  #isExpected = false
  #hasAnswer = false

  /** A response whose headers exceed `maxBytes` is left to the client. */
  constructor(connection: Readable, maxBytes: number) {
    this.#connection = connection
    this.#maxBytes = maxBytes
    connection.on('readable', () => {
      if (this.#isExpected) this.#skip()
    })
  }

  /** True once a byte arrived after the last request; an interim response counts. */
  get hasAnswer(): boolean {
    return this.#hasAnswer
  }

  /** Call before a request is sent: the next bytes begin a response. */
  expect(): void {
    this.#isExpected = true
    this.#hasAnswer = false
  }

  #skip(): void {
    // A stream without an encoding yields Buffers.
    const received = this.#connection.read() as Buffer | null
    if (received === null) return
    this.#hasAnswer = true
    let rest: Buffer = Buffer.concat([this.#held, received])
    while (isInterim(rest)) {
      const end = rest.indexOf(END_OF_HEADERS)
      if (end < 0 || end > this.#maxBytes) break
      rest = rest.subarray(end + END_OF_HEADERS.length)
    }
    const isUndecided = rest.length <= this.#maxBytes && (isInterim(rest) || isShort(rest))
    this.#held = isUndecided ? rest : Buffer.alloc(0)
    if (isUndecided) return
    this.#isExpected = false
    this.#connection.unshift(rest)
  }
}

function isInterim(bytes: Buffer): boolean {
  return INTERIM.test(bytes.toString('latin1', 0, STATUS_BYTES))
}

/** True while the received bytes may still be the beginning of an interim response. */
function isShort(bytes: Buffer): boolean {
  const text = bytes.toString('latin1', 0, STATUS_BYTES)
  return text.length < STATUS_BYTES && 'HTTP/'.startsWith(text.slice(0, 5))
}

/** The body in the form that the HTTP client takes, and the headers that only a stream needs. */
function sentBody(body: Hop['body']): {
  readonly body: Buffer | Readable | null
  readonly headers: Readonly<Record<string, string>>
} {
  if (body === undefined || Buffer.isBuffer(body)) return { body: body ?? null, headers: {} }
  return {
    body: Readable.from(body.open(), { objectMode: false }),
    headers: { 'content-length': String(body.bytes) },
  }
}

/**
 * Undoes the content coding of a response (RFC 9110 §8.4). None is asked for; web frameworks and proxies
 * that compress whatever they send are read all the same.
 *
 * Returns what turns the body of a response into its content; undefined for a body that is its content
 * already. Throws OutboundError, before the body is read, when the headers tell of a coding that is not
 * known, of several, or of more than the limit.
 */
function decoderFor(
  headers: Headers,
  { url: { href }, maxBodyBytes }: Exchange,
): ((body: Buffer) => Promise<Buffer>) | undefined {
  if (Number(headers.get('content-length') ?? 0) > maxBodyBytes)
    throw new OutboundError('too-large', href)
  const coding = (headers.get('content-encoding') ?? '').trim().toLowerCase()
  if (coding === '' || coding === 'identity') return undefined
  const decode = DECODERS.get(coding)
  if (decode === undefined) throw new OutboundError('content-coding', href)
  return async (body) => {
    // Answers without a body, as to HEAD, may name a coding.
    if (body.length === 0) return body
    try {
      return await decode(body, { maxOutputLength: Math.max(1, maxBodyBytes) })
    } catch (error) {
      const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' // Node's own
      throw new OutboundError(isTooLarge ? 'too-large' : 'content-coding', href, error)
    }
  }
}

function headersOf(raw: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(raw))
    for (const one of Array.isArray(value) ? value : [value ?? ''])
      headers.append(name, oneByteEach(one))
  return headers
}

/**
 * Turns a header value into one byte a character. Undici reads values as UTF-8, `Headers` holds
 * bytes; a raw `Location` may have either.
 */
function oneByteEach(value: string): string {
  return value.replace(/[^\x20-\xff\t]/gu, (character) => encodeURIComponent(character))
}
