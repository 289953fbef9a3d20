import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A proxy between a client and a server, so that a test can cut or stall their connection. */
export class TcpProxy {
  readonly #server: Server
  /** The peer socket of each socket. */
  readonly #sockets = new Map<Socket, Socket>()
  #isOpen = true
  #isStalled = false

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
        this.#sockets.set(socket, other)
        socket.setNoDelay(true)
        socket.on('error', () => other.destroy())
        socket.on('close', () => {
          this.#sockets.delete(socket)
          other.destroy()
        })
        if (!this.#isStalled) socket.pipe(other)
      }
    })
  }

  get port(): number {
    // A listening TCP server has no path.
    return (this.#server.address() as AddressInfo).port
  }

  /** Closes all connections and refuses new ones until `restore`. */
  cut(): void {
    this.#isOpen = false
    for (const socket of this.#sockets.keys()) socket.destroy()
  }

  /**
   * Keeps connections open and accepts new ones, but forwards nothing until `restore`, like a network that
   * loses every packet.
   */
  stall(): void {
    this.#isStalled = true
    for (const socket of this.#sockets.keys()) socket.unpipe().pause()
  }

  restore(): void {
    this.#isOpen = true
    if (!this.#isStalled) return
    this.#isStalled = false
    for (const [socket, other] of this.#sockets) socket.pipe(other)
  }

  async close(): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
