import type { Socket } from 'node:net'
import type { SipPeer } from '../model/stack-types.js'
import { StreamReader } from './stream-reader.js'
import type { Timer } from './timers.js'
import type { TransportOptions } from './transport.js'

/** The unsent bytes at which a peer is cut off that does not read what it asked for. */
const MAX_UNSENT_BYTES = 1024 * 1024
/** Idle time after which the kernel sends keep-alive probes to the peer, ms. */
const KEEP_ALIVE_MS = 60_000
const PONG = Buffer.from('\r\n')

/** A socket of TCP or TLS, and the peer at its other end. */
export interface Stream {
  readonly socket: Socket
  readonly peer: SipPeer
  /**
   * The event from which on the socket carries SIP; undefined when it does already. Nothing is
   * written before: bytes for a TLS server must not leave before its certificate is checked.
   */
  readonly opensAt: 'connect' | 'secureConnect' | undefined
  /** Puts the reason into words when the connection is not made. */
  readonly failure: ((error: Error) => Error) | undefined
}

interface Unsent {
  readonly bytes: Buffer
  readonly onFailure: (error: Error) => void
}

/**
 * One connection, accepted or dialled. It is closed when the peer sends something without a known
 * end, leaves a message half sent, or sends no message within the idle limit.
 */
export class StreamConnection {
  readonly peer: SipPeer
  readonly #socket: Socket
  readonly #options: TransportOptions
  readonly #inWords: Stream['failure']
  readonly #reader: StreamReader
  #patience: Timer | undefined
  #isOpen: boolean
  #isClosing = false
  #failure: Error | undefined
  readonly #unsent: Unsent[] = []
  /** Told once whether the connection was made. */
  readonly #settled: ((isOpen: boolean) => void)[] = []

  constructor({ socket, peer, opensAt, failure }: Stream, options: TransportOptions) {
    this.peer = peer
    this.#inWords = failure
    this.#socket = socket
    this.#options = options
    this.#reader = new StreamReader(options.limits)
    this.#isOpen = opensAt === undefined
    socket.setNoDelay(true)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    socket.on('data', (chunk) => {
      this.#receive(chunk)
    })
    socket.on('end', () => {
      socket.end()
    })
    socket.on('error', (error) => {
      this.#failure = error
    })
    socket.on('close', () => {
      options.timers.disarm(this.#patience)
      this.#isClosing = true
      this.#giveBack()
    })
    if (opensAt === undefined) this.#startPatience()
    else
      socket.once(opensAt, () => {
        this.#open()
      })
  }

  get isUsable(): boolean {
    return !this.#isClosing && this.#socket.writable
  }

  /**
   * Resolves with true once the peer has taken the connection; with false when it did not, or it is
   * closed already.
   */
  whenOpen(): Promise<boolean> {
    if (this.#isOpen || this.#isClosing) return Promise.resolve(this.isUsable)
    return new Promise((resolve) => this.#settled.push(resolve))
  }

  /** Sends the bytes; before the connection is open they wait. `onFailure` is called at most once. */
  send(bytes: Buffer, onFailure: (error: Error) => void): void {
    const waiting = this.#unsent.reduce((sum, each) => sum + each.bytes.length, 0)
    if (this.#socket.writableLength + waiting > MAX_UNSENT_BYTES)
      this.#socket.destroy(new Error('the peer does not read'))
    if (this.#isOpen) this.#write(bytes, onFailure)
    else this.#unsent.push({ bytes, onFailure })
  }

  destroy(): void {
    this.#isClosing = true
    this.#socket.destroy()
  }

  #open(): void {
    this.#isOpen = true
    for (const { bytes, onFailure } of this.#unsent.splice(0)) this.#write(bytes, onFailure)
    for (const settle of this.#settled.splice(0)) settle(true)
  }

  #write(bytes: Buffer, onFailure: (error: Error) => void): void {
    this.#socket.write(bytes, (error) => {
      if (error) onFailure(this.#failure ?? error)
    })
  }

  /** Tells of what was never sent, since the connection was not made. */
  #giveBack(): void {
    const cause = this.#failure ?? new Error('it ended the handshake')
    const error = this.#inWords?.(cause) ?? cause
    for (const { onFailure } of this.#unsent.splice(0)) onFailure(error)
    for (const settle of this.#settled.splice(0)) settle(false)
  }

  #receive(chunk: Buffer): void {
    if (this.#isClosing) return
    this.#reader.push(chunk)
    let hasCompleted = false
    for (;;) {
      const reading = this.#reader.next()
      if (reading.type === 'incomplete') break
      hasCompleted = true
      if (reading.type === 'ping') this.#pong()
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

  /** Answers a ping, unless the peer reads too little of what it was sent: pongs would pile up for it. */
  #pong(): void {
    if (!this.#socket.writableNeedDrain) this.#socket.write(PONG)
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
