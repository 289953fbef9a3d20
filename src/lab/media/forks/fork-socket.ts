import { WebSocket } from 'ws'

const SUBPROTOCOL = 'audio.drachtio.org'
const HANDSHAKE_LIMIT_MS = 5_000
const CLOSE_LIMIT_MS = 1_000
/** Maximum size of a message that mod_audio_fork accepts, in bytes. */
const MAX_MESSAGE_BYTES = 650_000

export interface ForkSocketEvents {
  onOpen(): void
  onText(text: string): void
  onBinary(bytes: Buffer): void
  /**
   * Called once when the connection failed (with a reason) or the far end closed it. Not called after
   * `close`.
   */
  onLost(reason: string | undefined): void
}

/** The websocket of a fork. Messages before it is open are lost, as with mod_audio_fork. */
export class ForkSocket {
  readonly #socket: WebSocket
  readonly #closed: Promise<void>
  readonly #maxBufferedBytes: number
  #state: 'opening' | 'open' | 'over' = 'opening'

  constructor(url: string, maxBufferedBytes: number, events: ForkSocketEvents) {
    this.#maxBufferedBytes = maxBufferedBytes
    this.#socket = new WebSocket(url, SUBPROTOCOL, {
      perMessageDeflate: false,
      handshakeTimeout: HANDSHAKE_LIMIT_MS,
      maxPayload: MAX_MESSAGE_BYTES,
    })
    let reason = 'Unable to connect'
    this.#closed = new Promise((resolve) => {
      this.#socket.on('close', () => {
        const wasOpen = this.#state === 'open'
        const isNews = this.#state !== 'over'
        this.#state = 'over'
        resolve()
        if (isNews) events.onLost(wasOpen ? undefined : reason)
      })
    })
    this.#socket.on('error', (error) => {
      reason = error.message === '' ? reason : error.message // 'close' follows
    })
    this.#socket.on('open', () => {
      if (this.#state !== 'opening') return
      this.#state = 'open'
      events.onOpen()
    })
    this.#socket.on('message', (data, isBinary) => {
      if (this.#state !== 'open' || !Buffer.isBuffer(data)) return
      if (isBinary) events.onBinary(data)
      else events.onText(data.toString('utf8'))
    })
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  sendText(text: string): void {
    if (this.isOpen) this.#socket.send(text)
  }

  /**
   * Sends audio; the bytes may be reused at once. Returns false when they were dropped because the far end is
   * too slow.
   */
  sendAudio(bytes: Uint8Array): boolean {
    if (!this.isOpen) return true
    if (this.#socket.bufferedAmount > this.#maxBufferedBytes) return false
    this.#socket.send(bytes)
    return true
  }

  /** Closes the socket with code 1000. Resolves when it is closed, at the latest after a second. */
  async close(): Promise<void> {
    this.#state = 'over'
    if (this.#socket.readyState === WebSocket.CLOSED) return
    this.#socket.close(1000)
    const cut = setTimeout(() => {
      this.#socket.terminate()
    }, CLOSE_LIMIT_MS)
    await this.#closed
    clearTimeout(cut)
  }
}
