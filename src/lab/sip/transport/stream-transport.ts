import { once } from 'node:events'
import { createServer, isIPv6, type Socket } from 'node:net'
import { ConnectionRoom, type RoomLimits } from '../../../platform/connection-room.js'
import type { SipPeer } from '../model/stack-types.js'
import { type Stream, StreamConnection } from './stream-connection.js'
import type { SendOptions, Transport, TransportOptions } from './transport.js'

/** The layer between TCP sockets and SIP: none, or TLS. */
export interface StreamLayer {
  readonly name: 'tcp' | 'tls'
  /** Makes an accepted socket ready for SIP; `onReady` is not called when that fails. */
  accept(socket: Socket, onReady: (socket: Socket) => void): void
  dial(to: SipPeer): Pick<Stream, 'socket' | 'opensAt'>
  /** Tells why a connection to the peer was not made. */
  failure(error: Error, to: SipPeer): Error
}

const CONNECT_TIMEOUT_MS = 5_000

/** Opens a listener; rejects when the address is not ours or the port is taken. */
export async function openStreamTransport(
  layer: StreamLayer,
  options: TransportOptions,
): Promise<Transport> {
  const streams = new Streams(layer, options)
  const server = createServer((socket) => {
    streams.accept(socket)
  })
  server.listen({ host: options.host, port: options.port, ipv6Only: isIPv6(options.host) })
  await once(server, 'listening')
  const address = server.address()
  return {
    name: layer.name,
    isReliable: true,
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    get connections() {
      return streams.size
    },
    reach: (to) => (streams.find(to) ?? streams.dial(to)).whenOpen(),
    send: (bytes, to, { onFailure, fallbackPort }: SendOptions) => {
      streams.send(bytes, to, fallbackPort, onFailure)
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      streams.close()
      await closed
    },
  }
}

/** The connections of one transport. */
class Streams {
  readonly #layer: StreamLayer
  readonly #options: TransportOptions
  readonly #connections = new Map<string, StreamConnection>()
  /** The newest connection of each address and port. */
  readonly #byPlace = new Map<string, StreamConnection>()
  /** Every socket, those too whose handshake is not over. */
  readonly #sockets = new Set<Socket>()
  readonly #room: ConnectionRoom

  constructor(layer: StreamLayer, options: TransportOptions) {
    this.#layer = layer
    this.#options = options
    this.#room = new ConnectionRoom(roomOf(options.limits), options)
  }

  get size(): number {
    return this.#sockets.size
  }

  /**
   * Takes the connection of a peer, unless it is gone already or there is no room for it: those in a
   * handshake count.
   */
  accept(socket: Socket): void {
    const { remoteAddress: address, remotePort: port } = socket
    const isGone = address === undefined || port === undefined
    if (isGone || !this.#room.take(socket, address, this.#sockets.size)) {
      socket.destroy()
      return
    }
    this.#hold(socket)
    const { name } = this.#layer
    // A TLS client has no name to be checked by: the way back to it is this connection alone.
    const peer: SipPeer = { transport: name, address, port, isFlow: name === 'tls' }
    this.#layer.accept(socket, (ready) => {
      this.#adopt({ socket: ready, peer, opensAt: undefined, failure: undefined })
    })
  }

  /**
   * The connection to use again. For a name it is one whose certificate is for that name; where only an
   * address is known, as in a Record-Route, it is any with that address.
   */
  find(to: SipPeer): StreamConnection | undefined {
    const connection =
      to.serverName === undefined
        ? this.#byPlace.get(placeOf(to))
        : this.#connections.get(keyOf(to))
    return connection?.isUsable === true ? connection : undefined
  }

  dial(to: SipPeer): StreamConnection {
    const { socket, opensAt } = this.#layer.dial(to)
    const { timers } = this.#options
    const patience = timers.arm(CONNECT_TIMEOUT_MS, () => {
      socket.destroy(new Error('no connection in time'))
    })
    const stop = (): void => {
      timers.disarm(patience)
    }
    socket.once(opensAt ?? 'connect', stop).once('close', stop)
    this.#hold(socket)
    const failure = (error: Error): Error => this.#layer.failure(error, to)
    return this.#adopt({ socket, peer: to, opensAt, failure })
  }

  /** Sends on the connection to the peer, else on one to its other port, else on a new one. */
  send(
    bytes: Buffer,
    to: SipPeer,
    fallbackPort: number | undefined,
    onFailure: (error: Error) => void,
  ): void {
    const target = fallbackPort === undefined ? to : { ...to, port: fallbackPort }
    const connection = this.find(to) ?? this.find(target)
    if (connection === undefined && to.isFlow === true)
      queueMicrotask(() => {
        // RFC 5626 §5.3: a flow that has failed is not replaced by a connection of ours.
        onFailure(new Error('the connection of the peer is closed'))
      })
    else (connection ?? this.dial(target)).send(bytes, onFailure)
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.destroy()
    for (const socket of this.#sockets) socket.destroy()
  }

  #hold(socket: Socket): void {
    this.#sockets.add(socket)
    // A connection hears of errors itself; the event only must not go unheard.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      this.#sockets.delete(socket)
    })
  }

  #adopt(stream: Stream): StreamConnection {
    const connection = new StreamConnection(stream, this.#options)
    const key = keyOf(stream.peer)
    const place = placeOf(stream.peer)
    this.#connections.set(key, connection)
    this.#byPlace.set(place, connection)
    stream.socket.on('close', () => {
      if (this.#connections.get(key) === connection) this.#connections.delete(key)
      if (this.#byPlace.get(place) === connection) this.#byPlace.delete(place)
    })
    return connection
  }
}

function roomOf(limits: TransportOptions['limits']): RoomLimits {
  return {
    connections: limits.tcpConnections,
    perSource: limits.tcpConnectionsPerSource,
    strangers: limits.tcpStrangers,
    strangersPerSource: limits.tcpStrangersPerSource,
    strangerMs: limits.tcpStrangerMs,
  }
}

/** A connection is found by the name too that its certificate was checked for (RFC 5923 §8.3). */
function keyOf({ serverName = '', ...place }: SipPeer): string {
  return `${placeOf(place)} ${serverName}`
}

function placeOf({ address, port }: Pick<SipPeer, 'address' | 'port'>): string {
  return `${address} ${port}`
}
