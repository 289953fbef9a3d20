import type { Socket } from 'node:net'
import { type ClientOptions, WebSocket } from 'ws'
import { endedWithin } from '../../../platform/async/limit.js'
import { StreamFailure } from '../stream-errors.js'
import { closeFailure, handshakeFailure } from './failures.js'
import { CONNECTED, messageText, type StreamMessage } from './messages.js'
import { ReadPace } from './read-pace.js'

/** The time from the connection to the answer of the upgrade. */
const HANDSHAKE_LIMIT_MS = 5_000
/** The longest message in bytes (documented): a minute of audio in base64. */
const MAX_MESSAGE_BYTES = 640 * 1_024
const CLOSE_LIMIT_MS = 1_000
const LIMITS = {
  perMessageDeflate: false,
  maxPayload: MAX_MESSAGE_BYTES,
  // A far end that sends without end has one message in each turn of the event loop.
  allowSynchronousEvents: false,
  // The far end is the first to end the connection (RFC 6455 §7.1.1). One that says goodbye and
  // keeps it would keep the call, too. The library's types do not name this yet.
  closeTimeout: CLOSE_LIMIT_MS,
  // The library keeps every answer to a ping that the far end does not read.
  autoPong: false,
} as const
/**
 * The most bytes of frames on their way: one second of audio. Behind it another second waits, and
 * its oldest frames are dropped first.
 */
const MAX_BYTES_ON_WAY = 18_000
const MAX_FRAMES_WAITING = 50
/**
 * The most other messages that wait: they are never dropped, and all pending marks fit. With more,
 * the connection is closed.
 */
const MAX_OTHERS_WAITING = 12_000

export interface CustomerSocketEvents {
  onText(text: string): void
  onBinary(): void
  /** Called once, when frames are dropped because the far end reads too slowly. */
  onSlow(): void
  /**
   * Called once, unless `close` was called. The failure is undefined when the far end closed in
   * good order.
   */
  onClosed(failure: StreamFailure | undefined): void
}

/** One connection to a customer's media stream server. */
export class CustomerSocket {
  readonly #webSocket: WebSocket
  readonly #events: CustomerSocketEvents
  readonly #streamSid: string
  readonly #pace = new ReadPace()
  readonly #waiting: StreamMessage[] = []
  #framesWaiting = 0
  /** The last ping that has no answer yet. Those before it need none (RFC 6455 §5.5.3). */
  #ping: Buffer | undefined
  /** The number of messages so far, the greeting excluded. */
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

  /** Sends the first message, which has no number. */
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
   * Sends `stop` ahead of all that waits, if `start` was sent, and closes. Resolves when the socket
   * is closed.
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
      this.#writeWaiting() // this comes also after a failure, which 'close' reports
    })
    const ping = this.#pace.count(text.length)
    if (ping !== undefined) this.#webSocket.ping(ping)
  }

  /** Answers the last ping, once the far end has read enough of what is on its way. */
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
