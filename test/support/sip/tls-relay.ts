import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer, type Server, type TLSSocket } from 'node:tls'
import type { TestCertificate } from './certificates.js'

const LOOPBACK = '127.0.0.1'

/**
 * Relays SIP between a test's UDP peer and a TLS connection. It changes only the transport in the peer's Via,
 * and shares no code with the product.
 */
export class TlsRelay implements AsyncDisposable {
  readonly #udp: UdpSocket
  readonly #server: Server | undefined
  readonly #streams = new Set<TLSSocket>()
  /** UDP port of the peer; after its first message, the sender's port. */
  #peerPort: number

  /** Connects to a TLS server; messages to `port` are forwarded to it. */
  static async toServer(tlsPort: number, ca: string): Promise<TlsRelay> {
    const relay = new TlsRelay(await openUdp(), undefined, 0)
    const stream = connect({ host: LOOPBACK, port: tlsPort, ca })
    await once(stream, 'secureConnect')
    relay.#take(stream)
    return relay
  }

  /** Listens with TLS on `port`; received messages are forwarded to the peer. */
  static async toPeer(peerPort: number, { cert, key }: TestCertificate): Promise<TlsRelay> {
    const server = createServer({ cert, key })
    server.listen(0, LOOPBACK)
    await once(server, 'listening')
    return new TlsRelay(await openUdp(), server, peerPort)
  }

  private constructor(udp: UdpSocket, server: Server | undefined, peerPort: number) {
    this.#udp = udp
    this.#server = server
    this.#peerPort = peerPort
    server?.on('secureConnection', (stream) => {
      this.#take(stream)
    })
    // The other side may refuse this certificate; the test checks that side.
    server?.on('tlsClientError', (_error, stream) => {
      stream.destroy()
    })
    udp.on('message', (packet, from) => {
      this.#peerPort = from.port
      for (const stream of this.#streams) stream.write(overTls(packet))
    })
  }

  get port(): number {
    const address = this.#server?.address()
    return typeof address === 'object' && address !== null ? address.port : this.#udp.address().port
  }

  /** Number of open TLS connections. */
  get connections(): number {
    return this.#streams.size
  }

  /** Closes the TLS connections, like a softphone that exits. */
  async drop(): Promise<void> {
    await Promise.all(
      [...this.#streams].map(async (stream) => {
        const closed = once(stream, 'close')
        stream.destroy()
        await closed
      }),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drop()
    this.#udp.close()
    this.#server?.close()
  }

  #take(stream: TLSSocket): void {
    this.#streams.add(stream)
    let unread = Buffer.alloc(0)
    stream.on('error', () => undefined)
    stream.on('close', () => this.#streams.delete(stream))
    stream.on('data', (chunk: Buffer) => {
      unread = Buffer.concat([unread, chunk])
      for (;;) {
        const length = messageLength(unread)
        if (length === undefined) return
        this.#udp.send(unread.subarray(0, length), this.#peerPort, LOOPBACK)
        unread = unread.subarray(length)
      }
    })
  }
}

/** Sets the Via transport to the actual one (RFC 3261 §18.1.1): drachtio refuses any other. */
function overTls(packet: Buffer): Buffer {
  const text = packet.toString('latin1').replace(/^(Via: *SIP\/2\.0\/)UDP/im, '$1TLS')
  return Buffer.from(text, 'latin1')
}

/** Length of the first message; undefined while it is incomplete. */
function messageLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = bytes.subarray(0, end).toString('latin1')
  const length = end + 4 + Number(/^(?:Content-Length|l)\s*:\s*(\d+)/im.exec(head)?.[1] ?? 0)
  return bytes.length < length ? undefined : length
}

async function openUdp(): Promise<UdpSocket> {
  const socket = createSocket('udp4')
  socket.bind(0, LOOPBACK)
  await once(socket, 'listening')
  return socket
}
