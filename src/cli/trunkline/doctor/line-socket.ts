import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { ConnectionEnds } from '../../../voice/telephony/reach.js'

const LIMIT_MS = 5_000
const MAX_BYTES = 256 * 1024

/** A TCP connection on which a probe writes a text and waits for a part of the answer. */
export class LineSocket implements Disposable {
  readonly #socket: Socket
  readonly #limit = AbortSignal.timeout(LIMIT_MS)
  #received = ''

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      this.#received = (this.#received + chunk).slice(-MAX_BYTES)
    })
  }

  /** Rejects when the server does not take the connection. */
  static async open(host: string, port: number): Promise<LineSocket> {
    const socket = connect({ host, port })
    const opened = new LineSocket(socket)
    await once(socket, 'connect', { signal: opened.#limit })
    return opened
  }

  /** The two addresses of the connection. */
  get ends(): ConnectionEnds {
    const { localAddress, remoteAddress } = this.#socket
    return { localAddress, remoteAddress }
  }

  write(text: string): void {
    this.#socket.write(text)
  }

  /** Resolves with the first match in all that has come; rejects when none comes in time. */
  async match(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#received)
      if (found !== null) {
        this.#received = this.#received.slice(found.index + found[0].length)
        return found
      }
      if (this.#socket.readableEnded) throw new Error('the server closed the connection')
      const more = new AbortController()
      await Promise.race([
        once(this.#socket, 'data', { signal: this.#limit }),
        once(this.#socket, 'end', { signal: more.signal }),
      ]).finally(() => {
        more.abort()
      })
    }
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }
}
