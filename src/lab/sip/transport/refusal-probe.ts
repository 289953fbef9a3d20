/**
 * Tells whether a socket listens at a port of this machine. An unconnected UDP socket never learns
 * that the system refused its datagrams, and a call to a softphone that is not running would ring
 * into nothing for half a minute. So a connected socket sends a keep-alive there, which every agent
 * ignores.
 */
import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import type { SipPeer } from '../model/stack-types.js'

/** The life of a probe: on loopback the refusal is immediate. */
const LIFE_MS = 200
const MAX_PROBES = 64
/** The time within which a peer that was heard needs no probe. */
const HEARD_WITHIN_MS = 1_000
const MAX_HEARD = 1_024
const KEEP_ALIVE = Buffer.from('\r\n\r\n')

export class RefusalProbe implements Disposable {
  readonly #probes = new Map<Socket, NodeJS.Timeout>()
  readonly #heard = new Map<string, number>()

  heard(from: SipPeer): void {
    if (!isLoopback(from.address)) return
    if (this.#heard.size >= MAX_HEARD) this.#heard.clear()
    this.#heard.set(keyOf(from), performance.now())
  }

  /** Asks, and calls back when the peer's port is closed; other machines are not asked. */
  ask(to: SipPeer, onRefused: (error: Error) => void): void {
    const heardAt = this.#heard.get(keyOf(to)) ?? Number.NEGATIVE_INFINITY
    const isNear = isLoopback(to.address) && this.#probes.size < MAX_PROBES
    if (!isNear || performance.now() - heardAt < HEARD_WITHIN_MS) return
    const isV6 = isIPv6(to.address)
    const socket = createSocket({
      type: isV6 ? 'udp6' : 'udp4',
      lookup: (address, _options, callback) => {
        callback(null, address, isV6 ? 6 : 4)
      },
    })
    const life = setTimeout(() => {
      this.#close(socket)
    }, LIFE_MS)
    this.#probes.set(socket, life)
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#close(socket)
      if (error.code === 'ECONNREFUSED') onRefused(error)
    })
    socket.on('connect', () => {
      socket.send(KEEP_ALIVE)
    })
    socket.connect(to.port, to.address)
  }

  [Symbol.dispose](): void {
    for (const socket of this.#probes.keys()) this.#close(socket)
  }

  #close(socket: Socket): void {
    const life = this.#probes.get(socket)
    if (life === undefined) return
    clearTimeout(life)
    this.#probes.delete(socket)
    socket.close()
  }
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1'
}

function keyOf(peer: SipPeer): string {
  return `${peer.address} ${peer.port}`
}
