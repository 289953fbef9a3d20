import type { Socket } from 'node:net'
import type { SipPeer } from '../model/stack-types.js'
import { StreamReader } from './stream-reader.js'
import type { Timer } from './timers.js'
import type { TransportOptions } from './transport.js'

/** The unsent bytes at which a peer is cut off that does not read what it asked for. */
const MAX_UNSENT_BYTES = 1024 * 1024
/** The silence after which the kernel asks whether the peer is still there. */
const KEEP_ALIVE_MS = 60_000
const PONG = Buffer.from('\r\n')

/**
 * One TCP connection, accepted or dialled. It is closed when the peer sends something without a
 * known end, leaves a message half sent, or sends no message within the idle limit.
 */
export class TcpConnection {
  readonly peer: SipPeer
  readonly #socket: Socket
  readonly #options: TransportOptions
  readonly #reader: StreamReader
  #patience: Timer | undefined
  #isClosing = false

  constructor(
    socket: Socket,
    peer: SipPeer,
    options: TransportOptions,
    side: 'accepted' | 'dialled',
  ) {
    this.peer = peer
    this.#socket = socket
    this.#options = options
    this.#reader = new StreamReader(options.limits)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    socket.on('data', (chunk) => {
      this.#receive(chunk)
    })
    socket.on('end', () => {
      socket.end()
    })
    socket.on('close', () => {
      options.timers.disarm(this.#patience)
      this.#isClosing = true
    })
    if (side === 'accepted') this.#startPatience()
  }

  get isUsable(): boolean {
    return !this.#isClosing && this.#socket.writable
  }

  /**
   * Resolves with true once the peer has taken the connection; with false when it did not, or it is
   * closed already.
   */
  whenOpen(): Promise<boolean> {
    const socket = this.#socket
    if (!socket.connecting) return Promise.resolve(this.isUsable)
    return new Promise((resolve) => {
      socket.once('connect', () => {
        resolve(true)
      })
      socket.once('close', () => {
        resolve(false)
      })
    })
  }

  send(bytes: Buffer, onFailure: (error: Error) => void): void {
    if (this.#socket.writableLength > MAX_UNSENT_BYTES)
      this.#socket.destroy(new Error('the peer does not read'))
    this.#socket.write(bytes, (error) => {
      if (error) onFailure(error)
    })
  }

  destroy(): void {
    this.#isClosing = true
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    if (this.#isClosing) return
    this.#reader.push(chunk)
    let hasCompleted = false
    for (;;) {
      const reading = this.#reader.next()
      if (reading.type === 'incomplete') break
      hasCompleted = true
      if (reading.type === 'ping') this.#socket.write(PONG)
      else if (reading.type === 'unreadable') {
        this.#options.events.onGarbage(reading.why, this.peer)
        this.destroy()
        return
      } else {
        this.#options.events.onMessage(reading, this.peer)
        if (!reading.isFramed) {
          this.#closeAfterAnswer()
          return
        }
      }
    }
    if (hasCompleted) this.#stopPatience()
    if (this.#reader.isWaiting) this.#startPatience()
  }

  /**
   * Closes the connection once the answer is sent. The bytes that follow cannot be told from the
   * body, so they are read and thrown away: closing on unread bytes would reset the connection and
   * lose the answer.
   */
  #closeAfterAnswer(): void {
    this.#isClosing = true
    this.#socket.end()
    this.#stopPatience()
    this.#startPatience()
  }

  /** Starts the idle limit. More bytes do not prolong it: a message sent byte by byte has no more time. */
  #startPatience(): void {
    const { timers, limits } = this.#options
    this.#patience ??= timers.arm(limits.tcpIdleMs, () => {
      this.destroy()
    })
  }

  #stopPatience(): void {
    this.#options.timers.disarm(this.#patience)
    this.#patience = undefined
  }
}
