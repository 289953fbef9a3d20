import type { Socket } from 'node:net'
import { Client } from 'undici'
import { kindOfExchangeFailure, OutboundError } from './outbound-error.js'
import { linkAbort, reasonOf, withAbort } from './with-abort.js'

export interface Exchange {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  readonly responseTimeoutMs: number
  readonly maxBodyBytes: number
}

export interface ExchangeResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
  readonly headersAfterMs: number
}

const MAX_HEADER_BYTES = 16 * 1024
const IDLE_MS = 4_000
/** Servers that promise more are believed up to this. */
const MAX_IDLE_MS = 60_000

/**
 * One connection to one origin, for one exchange at a time. It never reconnects: a new connection
 * means a new check of the address, which is `openSocket`'s work.
 */
export class Connection {
  readonly #client: Client
  readonly #socket: Socket
  readonly #monotonic: () => number
  #exchanges = 0
  #isBroken = false
  #onClosed: (() => void) | undefined

  constructor(origin: string, socket: Socket, monotonic: () => number) {
    this.#socket = socket
    this.#monotonic = monotonic
    socket.once('close', () => this.#onClosed?.())
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

  /** Whether an earlier exchange used it: then the server may close it just as we write. */
  get isReused(): boolean {
    return this.#exchanges > 1
  }

  get isUsable(): boolean {
    return !this.#isBroken && !this.#socket.destroyed && this.#socket.writable
  }

  /** Calls back once either side has closed the connection; a later listener replaces this one. */
  onClosed(listener: (() => void) | undefined): void {
    this.#onClosed = listener
  }

  /** Rejects with OutboundError, or with the signal's reason; afterwards the connection is closed. */
  async exchange(exchange: Exchange, signal: AbortSignal): Promise<ExchangeResponse> {
    this.#exchanges += 1
    const reason = (): Error => new OutboundError('response-timeout', exchange.url.href)
    using either = linkAbort([signal], { ms: exchange.responseTimeoutMs, reason })
    try {
      return await withAbort(this.#run(exchange, either.signal), either.signal)
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
      this.#socket.once('close', () => {
        resolve()
      })
      this.#socket.destroy()
    })
  }

  async #run(exchange: Exchange, signal: AbortSignal): Promise<ExchangeResponse> {
    const startedAt = this.#monotonic()
    const response = await this.#client.request({
      path: exchange.url.pathname + exchange.url.search,
      method: exchange.method,
      headers: { ...exchange.headers, host: exchange.url.host },
      body: exchange.body ?? null,
      signal,
    })
    const headersAfterMs = this.#monotonic() - startedAt
    const headers = headersOf(response.headers)
    const refuse = (kind: 'too-large' | 'protocol'): never => {
      throw new OutboundError(kind, exchange.url.href)
    }
    // A bomb is not defused but refused: we asked for `identity`.
    const encoding = headers.get('content-encoding') ?? 'identity'
    if (!/^(identity)?$/i.test(encoding.trim())) refuse('protocol')
    if (Number(headers.get('content-length') ?? 0) > exchange.maxBodyBytes) refuse('too-large')
    const chunks: Buffer[] = []
    let size = 0
    // Undici's body yields Buffers unless an encoding is set.
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > exchange.maxBodyBytes) refuse('too-large')
      chunks.push(chunk)
    }
    return { status: response.statusCode, headers, body: Buffer.concat(chunks), headersAfterMs }
  }
}

function headersOf(raw: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(raw))
    for (const one of Array.isArray(value) ? value : [value ?? ''])
      headers.append(name, oneByteEach(one))
  return headers
}

/** Undici reads header values as UTF-8, `Headers` holds bytes; a raw `Location` may have either. */
function oneByteEach(value: string): string {
  return value.replace(/[^\x20-\xff\t]/gu, (character) => encodeURIComponent(character))
}
