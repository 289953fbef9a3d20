import type { Socket } from 'node:net'
import { type ClientOptions, WebSocket } from 'ws'
import { endedWithin } from '../../../platform/async/limit.js'
import type { OutboundError, OutboundErrorKind } from '../../../platform/http/outbound-error.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import { StreamFailure } from '../stream-errors.js'
import { CONNECTED, messageText, type StreamMessage } from './messages.js'

/** Timeout from the TCP or TLS connection to the response to the websocket upgrade, ms. */
const HANDSHAKE_LIMIT_MS = 5_000
/** Maximum length of a received message in bytes (documented): one minute of audio in base64. */
const MAX_MESSAGE_BYTES = 640 * 1_024
const CLOSE_LIMIT_MS = 1_000
const LIMITS = {
  perMessageDeflate: false,
  maxPayload: MAX_MESSAGE_BYTES,
  // One message per event-loop turn, so that a far end that sends continuously does not block others.
  allowSynchronousEvents: false,
  // The far end closes the connection first (RFC 6455 §7.1.1). Without a limit, one that never closes it
  // would hold up the end of the call. The library's types lack this option.
  closeTimeout: CLOSE_LIMIT_MS,
  // The library would queue every pong that the far end does not read.
  autoPong: false,
} as const
/**
 * Maximum bytes in the socket's send buffer: one second of audio. A queue behind it holds another second; its
 * oldest frames are dropped first.
 */
const MAX_BYTES_ON_WAY = 18_000
const MAX_FRAMES_WAITING = 50
/**
 * Maximum number of queued messages other than media. They are never dropped, and all pending marks fit.
 * Beyond the limit the connection is closed.
 */
const MAX_OTHERS_WAITING = 12_000

export interface CustomerSocketEvents {
  onText(text: string): void
  onBinary(): void
  /** Called once, when frames are dropped because the far end reads too slowly. */
  onSlow(): void
  /**
   * Called once, unless `close` was called. The failure is undefined after a normal close by the far end.
   */
  onClosed(failure: StreamFailure | undefined): void
}

/**
 * Number of sent bytes between two pings that measure the far end's reading: about half a second of one
 * track.
 */
const ASK_EVERY_BYTES = 9_000
/** Maximum sent bytes that the far end has not read yet: about three seconds of one track. */
const MAX_UNREAD_BYTES = 64 * 1_024

/** The 319xx error number for each failure to connect to a customer's stream server. */
const CONNECT_FAILURES: Partial<Readonly<Record<OutboundErrorKind, ErrorNumber>>> = {
  'connect-timeout': 31901,
  'connect-refused': 31902,
  'connect-failed': 31904,
  'blocked-address': 31904,
  dns: 31904,
  tls: 31910,
  'tls-domain': 31910,
  'tls-expired': 31910,
  'tls-untrusted': 31910,
  'bad-url': 31923,
}
const UNKNOWN_FAILURE = 31900
/** Close codes of a normal close (RFC 6455 §7.4.1): done, going away, no code given. */
const ORDERLY_CLOSES = [1000, 1001, 1005]
/** Close code of a connection that was lost without a close frame (RFC 6455 §7.1.5). */
const LOST = 1006

/** One connection to a customer's media stream server. */
export class CustomerSocket {
  readonly #webSocket: WebSocket
  readonly #events: CustomerSocketEvents
  readonly #streamSid: string
  readonly #pace = new ReadPace()
  readonly #waiting: StreamMessage[] = []
  #framesWaiting = 0
  /** Payload of the last received ping without a pong. Earlier pings need none (RFC 6455 §5.5.3). */
  #ping: Buffer | undefined
  /** Number of messages sent so far, without `connected`. */
  #sequence = 0
  #state: 'open' | 'slow' | 'closed' = 'open'

  /** Upgrades the connected socket; rejects with StreamFailure, or the signal's reason. */
  static async open(
    request: {
      readonly url: string
      readonly streamSid: string
      readonly headers: Readonly<Record<string, string>>
      readonly socket: Socket
    },
    events: CustomerSocketEvents,
    signal: AbortSignal,
  ): Promise<CustomerSocket> {
    const options: ClientOptions & typeof LIMITS = {
      ...LIMITS,
      createConnection: () => request.socket,
      headers: request.headers,
    }
    const webSocket = new WebSocket(request.url, options)
    const customer = new CustomerSocket(webSocket, request.streamSid, events)
    try {
      await opened(webSocket, signal)
    } catch (error) {
      customer.#state = 'closed'
      webSocket.terminate()
      throw error
    }
    return customer
  }

  private constructor(webSocket: WebSocket, streamSid: string, events: CustomerSocketEvents) {
    this.#webSocket = webSocket
    this.#streamSid = streamSid
    this.#events = events
    let failure: unknown
    webSocket.on('error', (error) => {
      failure = error // the 'close' event follows
    })
    webSocket.on('message', (data, isBinary) => {
      if (this.#state === 'closed') return
      if (isBinary || !Buffer.isBuffer(data)) events.onBinary()
      else events.onText(data.toString('utf8'))
    })
    webSocket.on('ping', (payload) => {
      this.#ping = payload
      this.#answerPing()
    })
    webSocket.on('pong', (payload) => {
      this.#pace.answered(payload.toString('latin1'))
      this.#writeWaiting()
    })
    webSocket.on('close', (code) => {
      if (this.#state === 'closed') return
      this.#state = 'closed'
      events.onClosed(closeFailure(code, failure))
    })
  }

  /** Sends `connected`, the first message; it has no sequence number. */
  greet(): void {
    this.#webSocket.send(CONNECTED)
  }

  send(message: StreamMessage): void {
    if (this.#state === 'closed') return
    if (this.#waiting.length === 0 && this.#hasRoom) {
      this.#write(message)
      return
    }
    this.#waiting.push(message)
    if (message.event === 'media') this.#keepNewest()
    else if (this.#waiting.length - this.#framesWaiting > MAX_OTHERS_WAITING) {
      this.#state = 'closed'
      this.#webSocket.terminate()
      this.#events.onClosed(new StreamFailure(31903, 'the far end reads nothing that is sent'))
    }
  }

  /**
   * Sends `stop` ahead of all queued messages, if `start` was sent, and closes. Resolves once the socket is
   * closed.
   */
  async close(stop: StreamMessage): Promise<void> {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#waiting.length = 0
    if (this.#sequence > 0) this.#write(stop)
    const closed = new Promise<void>((resolve) => {
      this.#webSocket.once('close', () => {
        resolve()
      })
    })
    this.#webSocket.close(1000)
    await endedWithin(closed, CLOSE_LIMIT_MS)
    this.#webSocket.terminate()
  }

  get #hasRoom(): boolean {
    return this.#webSocket.bufferedAmount < MAX_BYTES_ON_WAY && !this.#pace.isBehind
  }

  #keepNewest(): void {
    this.#framesWaiting += 1
    if (this.#framesWaiting <= MAX_FRAMES_WAITING) return
    this.#waiting.splice(
      this.#waiting.findIndex(({ event }) => event === 'media'),
      1,
    )
    this.#framesWaiting -= 1
    if (this.#state !== 'open') return
    this.#state = 'slow'
    this.#events.onSlow()
  }

  #write(message: StreamMessage): void {
    this.#sequence += 1
    const text = messageText(message, this.#sequence, this.#streamSid)
    this.#webSocket.send(text, () => {
      this.#writeWaiting() // also called after a failed write, which the 'close' event reports
    })
    const ping = this.#pace.count(text.length)
    if (ping !== undefined) this.#webSocket.ping(ping)
  }

  /** Sends the pong for the last ping, once the send buffer is below its limit. */
  #answerPing(): void {
    const payload = this.#ping
    if (payload === undefined || this.#webSocket.bufferedAmount >= MAX_BYTES_ON_WAY) return
    this.#ping = undefined
    this.#webSocket.pong(payload, true, () => {
      this.#writeWaiting()
    })
  }

  #writeWaiting(): void {
    this.#answerPing()
    while (this.#state !== 'closed' && this.#hasRoom) {
      const message = this.#waiting.shift()
      if (message === undefined) return
      if (message.event === 'media') this.#framesWaiting -= 1
      this.#write(message)
    }
  }
}

/**
 * Measures how many sent bytes the far end has not read. Kernels on the path can buffer minutes of audio, so
 * each ping carries the number of bytes sent before it, and the pong returns that number (RFC 6455 §5.5.3). A
 * far end that never answers a ping is not limited.
 */
export class ReadPace {
  #sent = 0
  #asked: number | undefined
  #read: number | undefined

  get isBehind(): boolean {
    return this.#read !== undefined && this.#sent - this.#read > MAX_UNREAD_BYTES
  }

  /** Adds sent bytes; returns the payload of a ping when one is due. */
  count(bytes: number): string | undefined {
    this.#sent += bytes
    if (this.#asked !== undefined && this.#sent - this.#asked < ASK_EVERY_BYTES) return undefined
    this.#asked = this.#sent
    return String(this.#sent)
  }

  /** Takes the payload of a pong; ignores an unsolicited one, which may carry anything. */
  answered(payload: string): void {
    const read = Number(payload)
    if (read > (this.#read ?? 0) && read <= this.#sent) this.#read = read
  }
}

function opened(webSocket: WebSocket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      settle(new StreamFailure(31920, 'the websocket upgrade was not answered in time'))
    }, HANDSHAKE_LIMIT_MS)
    const settle = (error: Error | undefined): void => {
      clearTimeout(limit)
      signal.removeEventListener('abort', onAbort)
      if (error === undefined) resolve()
      else reject(error)
    }
    const onAbort = (): void => {
      settle(signal.reason instanceof Error ? signal.reason : new Error('not wanted any more'))
    }
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    webSocket.once('open', () => {
      settle(undefined)
    })
    webSocket.once('unexpected-response', (request, response) => {
      response.resume()
      request.destroy()
      const status = String(response.statusCode)
      settle(new StreamFailure(31920, `the far end answered the upgrade with ${status}`))
    })
    webSocket.once('error', (error) => {
      settle(handshakeFailure(error))
    })
  })
}

export function connectFailure(error: OutboundError): StreamFailure {
  return new StreamFailure(CONNECT_FAILURES[error.kind] ?? UNKNOWN_FAILURE, error.message, {
    cause: error,
  })
}

function handshakeFailure(cause: unknown): StreamFailure {
  return new StreamFailure(31920, 'the websocket upgrade was not answered as it should', { cause })
}

/** The failure for a close code; undefined after a normal close. */
export function closeFailure(code: number, cause: unknown): StreamFailure | undefined {
  if (isProtocolError(cause))
    return new StreamFailure(31924, 'the far end broke the websocket protocol, or its limits', {
      cause,
    })
  if (ORDERLY_CLOSES.includes(code)) return undefined
  if (code === LOST) return new StreamFailure(31903, 'the connection was lost', { cause })
  return new StreamFailure(31921, `the far end closed with code ${code}`)
}

/** True for the websocket library's protocol errors: their codes start with WS_ERR_. */
function isProtocolError(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return typeof error.code === 'string' && error.code.startsWith('WS_ERR_')
}
