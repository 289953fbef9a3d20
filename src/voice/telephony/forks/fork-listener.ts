import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import { newSecret, sha256Hex } from '../../../platform/secrets.js'

/** The WebSocket subprotocol of mod_audio_fork; the module refuses a server without it. */
const SUBPROTOCOL = 'audio.drachtio.org'
/** Maximum time for the media server to connect, ms. */
const CONNECT_LIMIT_MS = 5_000
/** Maximum message size. Audio frames have at most 640 bytes; text messages are marks. */
const MAX_MESSAGE_BYTES = 64 * 1024
const PATH = /^\/fork\/([0-9a-f]{32})$/

/** A connection that a media server was asked to open. */
export interface ExpectedFork {
  /** Contains a token that is valid for one connection. */
  readonly url: string
  /**
   * Resolves with the media server's connection. Rejects with AdapterError when none comes in time,
   * and after `forget`.
   */
  readonly socket: Promise<WebSocket>
  /** Stops waiting; closes the connection if it has been opened. */
  forget(): void
}

interface Waiting {
  readonly take: (socket: WebSocket) => void
}

export interface ForkListenerOptions {
  readonly address: string
  /** `address` as the media server sees it, when it differs. */
  readonly advertisedAddress: string | undefined
  readonly log: Logger
}

/** The WebSocket server that media servers send forked audio to. A request without a valid token gets 404. */
export class ForkListener implements AsyncDisposable {
  readonly #options: ForkListenerOptions
  readonly #server: Server
  readonly #upgrader = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  })
  /**
   * Expected connections by the digest of their token, so that response times reveal nothing about tokens.
   */
  readonly #waiting = new Map<string, Waiting>()

  static async open(options: ForkListenerOptions): Promise<ForkListener> {
    const server = createServer((_request, response) => {
      response.writeHead(404).end()
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, options.address, () => {
        server.removeListener('error', reject)
        resolve()
      })
    })
    return new ForkListener(server, options)
  }

  private constructor(server: Server, options: ForkListenerOptions) {
    this.#server = server
    this.#options = options
    server.on('upgrade', (request, socket, head) => {
      this.#upgrade(request, socket, head)
    })
    server.on('error', (err) => {
      options.log.error({ err }, 'fork listener failed')
    })
  }

  /**
   * Expects one connection. The caller must subscribe to its messages at once, because audio starts
   * immediately.
   */
  expect(): ExpectedFork {
    const token = newSecret()
    const key = sha256Hex(token)
    const { advertisedAddress, address } = this.#options
    const host = advertisedAddress ?? address
    const { port } = this.#server.address() as AddressInfo // a TCP server's address is no string
    let forget = (): void => undefined
    const socket = new Promise<WebSocket>((resolve, reject) => {
      const timer = setTimeout(() => {
        forget()
      }, CONNECT_LIMIT_MS)
      forget = () => {
        clearTimeout(timer)
        this.#waiting.delete(key)
        reject(new AdapterError('the media server did not connect for a fork'))
      }
      this.#waiting.set(key, {
        take: (taken) => {
          clearTimeout(timer)
          this.#waiting.delete(key)
          forget = () => {
            taken.terminate()
          }
          resolve(taken)
        },
      })
    })
    socket.catch(() => undefined) // the caller that awaits the promise sees the failure
    const hostPart = host.includes(':') ? `[${host}]` : host
    return {
      url: `ws://${hostPart}:${String(port)}/fork/${token}`,
      socket,
      forget: () => {
        forget()
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#upgrader.clients) socket.terminate()
    this.#upgrader.close()
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve()
      })
    })
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { log } = this.#options
    // Node removes its listeners from an upgraded connection; an unhandled error would end the
    // process.
    const onError = (err: Error): void => {
      log.debug({ err }, 'a fork connection failed')
    }
    socket.on('error', onError)
    const [, token = ''] = PATH.exec(request.url ?? '') ?? []
    const waiting = this.#waiting.get(sha256Hex(token))
    if (waiting === undefined) {
      log.warn('refused a fork connection without a valid token')
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      return
    }
    this.#upgrader.handleUpgrade(request, socket, head, (webSocket) => {
      // `startFork` adds its own listeners once its command was answered.
      webSocket.on('error', onError)
      waiting.take(webSocket)
    })
  }
}
