import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A proxy between a client and a server, so that a test can cut their connection. */
export class TcpProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #isOpen = true

  static async open(port: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(port)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  private constructor(port: number) {
    this.#server = createServer((near) => {
      if (!this.#isOpen) {
        near.destroy()
        return
      }
      const far = connect(port, '127.0.0.1')
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket)
        socket.setNoDelay(true)
        socket.on('error', () => other.destroy())
        socket.on('close', () => {
          this.#sockets.delete(socket)
          other.destroy()
        })
        socket.pipe(other)
      }
    })
  }

  get port(): number {
    // A listening TCP server has no path.
    return (this.#server.address() as AddressInfo).port
  }

  /** Drops every connection and refuses new ones until `restore`. */
  cut(): void {
    this.#isOpen = false
    for (const socket of this.#sockets) socket.destroy()
  }

  restore(): void {
    this.#isOpen = true
  }

  async close(): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
