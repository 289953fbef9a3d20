import { once } from 'node:events'
import { connect, createServer, isIPv6, type Socket } from 'node:net'
import type { SipPeer } from '../model/stack-types.js'
import { TcpConnection } from './tcp-connection.js'
import type { SendOptions, Transport, TransportOptions } from './transport.js'

/** Counts what each address holds at present; an address that holds none is forgotten. */
class SourceCount {
  readonly #limit: number
  readonly #held = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes one for the address; false when it holds all that it may. */
  take(address: string): boolean {
    const held = this.#held.get(address) ?? 0
    if (held >= this.#limit) return false
    this.#held.set(address, held + 1)
    return true
  }

  giveBack(address: string): void {
    const left = (this.#held.get(address) ?? 0) - 1
    if (left > 0) this.#held.set(address, left)
    else this.#held.delete(address)
  }
}

const CONNECT_TIMEOUT_MS = 5_000

/** Opens a listener; rejects when the address is not ours or the port is taken. */
export async function openTcpTransport(options: TransportOptions): Promise<Transport> {
  const connections = new Map<string, TcpConnection>()
  const accepted = new SourceCount(options.limits.tcpConnectionsPerSource)
  const server = createServer((socket) => {
    const isFull = connections.size >= options.limits.tcpConnections
    const peer = isFull ? undefined : admit(socket, accepted)
    if (peer === undefined) socket.destroy()
    else adopt(socket, peer, 'accepted')
  })

  function adopt(socket: Socket, peer: SipPeer, side: 'accepted' | 'dialled'): TcpConnection {
    const connection = new TcpConnection(socket, peer, options, side)
    const key = keyOf(peer.address, peer.port)
    connections.set(key, connection)
    // Every write has its own callback; the event only must not go unheard.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (connections.get(key) === connection) connections.delete(key)
    })
    return connection
  }

  function find(to: SipPeer): TcpConnection | undefined {
    const connection = connections.get(keyOf(to.address, to.port))
    return connection?.isUsable === true ? connection : undefined
  }

  function dial(to: SipPeer): TcpConnection {
    const socket = connect({ host: to.address, port: to.port })
    const patience = options.timers.arm(CONNECT_TIMEOUT_MS, () => {
      socket.destroy(new Error('no connection in time'))
    })
    const stop = (): void => {
      options.timers.disarm(patience)
    }
    socket.once('connect', stop).once('close', stop)
    return adopt(socket, to, 'dialled')
  }

  server.listen({ host: options.host, port: options.port, ipv6Only: isIPv6(options.host) })
  await once(server, 'listening')
  const address = server.address()
  return {
    name: 'tcp',
    isReliable: true,
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    get connections() {
      return connections.size
    },
    reach: (to) => (find(to) ?? dial(to)).whenOpen(),
    send: (bytes, to, { onFailure, fallbackPort }: SendOptions) => {
      const target = fallbackPort === undefined ? to : { ...to, port: fallbackPort }
      const connection = find(to) ?? find(target) ?? dial(target)
      connection.send(bytes, onFailure)
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const connection of connections.values()) connection.destroy()
      await closed
    },
  }
}

/**
 * Admits the peer that connected; undefined when it is gone already or has as many connections as
 * it may.
 */
function admit(socket: Socket, accepted: SourceCount): SipPeer | undefined {
  const { remoteAddress, remotePort } = socket
  if (remoteAddress === undefined || remotePort === undefined) return undefined
  if (!accepted.take(remoteAddress)) return undefined
  socket.once('close', () => {
    accepted.giveBack(remoteAddress)
  })
  return { transport: 'tcp', address: remoteAddress, port: remotePort }
}

function keyOf(address: string, port: number): string {
  return `${address} ${port}`
}
