/** One application's control connection: framing, authentication and commands. */
import { timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import { gatherWrites } from '../gather-writes.js'
import type { ServerParts } from './call-table.js'
import { type ClientMessage, parseClientMessage } from './client-message.js'
import type { Client } from './clients.js'
import { CommandUnknown, perform } from './commands.js'
import { encodeFrame, FrameError, FrameReader } from './frames.js'
import { ok, refused } from './wire.js'

export interface ConnectionDeps extends ServerParts {
  readonly secret: string
  /** The response to a correct secret: the addresses of the SIP listener, and the version. */
  readonly greeting: string
  onClosed(connection: Connection): void
}

/** Maximum number of bytes buffered for a client that does not read; above it the client is disconnected. */
const MAX_UNREAD_BYTES = 16 * 1_048_576
const AUTHENTICATION_LIMIT_MS = 10_000

export class Connection implements Client {
  readonly #socket: Socket
  readonly #deps: ConnectionDeps
  readonly #reader = new FrameReader()
  readonly #limit: NodeJS.Timeout
  #isAuthenticated = false

  constructor(socket: Socket, deps: ConnectionDeps) {
    this.#socket = socket
    this.#deps = deps
    this.#limit = setTimeout(() => {
      socket.destroy()
    }, AUTHENTICATION_LIMIT_MS)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 30_000)
    socket.on('data', (chunk) => {
      this.#receive(chunk)
    })
    socket.on('error', (err) => {
      deps.log.info({ err }, 'a control connection failed')
    })
    socket.once('close', () => {
      this.#closed()
    })
  }

  get isOpen(): boolean {
    return this.#isAuthenticated && !this.#socket.destroyed && this.#socket.writable
  }

  send(payload: string): void {
    if (!this.#socket.writable) return
    gatherWrites(this.#socket)
    this.#socket.write(encodeFrame(payload))
    if (this.#socket.writableLength <= MAX_UNREAD_BYTES) return
    this.#deps.log.warn('disconnected a control client that does not read')
    this.#socket.destroy()
  }

  close(): void {
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    try {
      for (const payload of this.#reader.push(chunk)) {
        if (this.#socket.writable) this.#handle(parseClientMessage(payload))
      }
    } catch (err) {
      if (!(err instanceof FrameError)) throw err
      this.#deps.log.warn({ err }, 'disconnected a control client that broke the framing')
      this.#socket.destroy()
    }
  }

  #handle(message: ClientMessage): void {
    if (message.command === 'authenticate') this.#authenticate(message)
    else if (!this.#isAuthenticated) this.#refuse(message, 'not authenticated')
    else
      perform(this.#deps, this, message).catch((err: unknown) => {
        if (err instanceof CommandUnknown) {
          this.#refuse(message, err.reason)
          return
        }
        this.#deps.log.error({ err, command: message.command }, 'a command failed')
        this.#refuse(message, 'Internal server error')
      })
  }

  #authenticate(message: ClientMessage): void {
    const [secret = ''] = message.tokens
    if (!isSame(secret, this.#deps.secret)) {
      this.#refuse(message, 'incorrect secret')
      return
    }
    clearTimeout(this.#limit)
    this.#isAuthenticated = true
    this.send(ok(message.id, this.#deps.greeting))
  }

  #refuse(message: ClientMessage, reason: string): void {
    this.#deps.log.warn({ command: message.command, reason }, 'refused a control command')
    this.send(refused(message.id, reason))
    this.#socket.end()
  }

  /**
   * Removes the client. Its dialogs stay and answer 481 until they end. Its unanswered calls stay too: any
   * client can end them by their transaction ids, as with the real server.
   */
  #closed(): void {
    clearTimeout(this.#limit)
    this.#isAuthenticated = false
    this.#deps.clients.remove(this)
    this.#deps.onClosed(this)
  }
}

function isSame(given: string, expected: string): boolean {
  const a = Buffer.from(given)
  const b = Buffer.from(expected)
  return a.length === b.length && timingSafeEqual(a, b)
}
