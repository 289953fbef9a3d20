import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { readMessage } from '../message/read-message.js'
import type { SipPeer } from '../model/stack-types.js'
import type { SendOptions, Transport, TransportOptions } from './transport.js'

/**
 * The receive buffer, for a burst of some thousand messages; the kernel cuts it to what the system
 * allows.
 */
const RECEIVE_BUFFER_BYTES = 4 * 1024 * 1024

/** The life of a probe: on loopback the refusal is immediate. */
const LIFE_MS = 200
const MAX_PROBES = 64
/** The time within which a peer that was heard needs no probe. */
const HEARD_WITHIN_MS = 1_000
const MAX_HEARD = 1_024
const KEEP_ALIVE = Buffer.from('\r\n\r\n')

/** Opens a socket; rejects when the address is not ours or the port is taken. */
export async function openUdpTransport(options: TransportOptions): Promise<Transport> {
  const isV6 = isIPv6(options.host)
  const socket = createSocket({
    type: isV6 ? 'udp6' : 'udp4',
    ipv6Only: isV6,
    recvBufferSize: RECEIVE_BUFFER_BYTES,
    sendBufferSize: RECEIVE_BUFFER_BYTES,
    // Addresses are numeric here, so the system's lookup would only cost time.
    lookup: (address, _options, callback) => {
      callback(null, address, isV6 ? 6 : 4)
    },
  })
  try {
    // Subscribed before the bind: because the lookup above is synchronous, the event may be so too.
    const listening = once(socket, 'listening')
    socket.bind(options.port, options.host)
    await listening
  } catch (error) {
    socket.close()
    throw error
  }
  const probe = new RefusalProbe()
  const receive = listen(socket, options, probe)
  const { neighbours } = options
  const own = addressTowardNeighbours(options.host, socket.address().port)
  const leave = neighbours?.join(own, receive)
  return {
    name: 'udp',
    isReliable: false,
    port: socket.address().port,
    connections: 0,
    reach: () => Promise.resolve(true),
    send: (bytes, to, { onFailure }: SendOptions) => {
      if (neighbours?.deliver(bytes, own, to) === true) return
      let hasFailed = false
      const fail = (error: Error): void => {
        if (!hasFailed) onFailure(error)
        hasFailed = true
      }
      socket.send(bytes, to.port, to.address, (error) => {
        if (error !== null) fail(error)
      })
      if (isInvite(bytes)) probe.ask(to, fail)
    },
    [Symbol.asyncDispose]: async () => {
      leave?.()
      probe[Symbol.dispose]()
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

/** Reads what comes to the socket. Returns the function that takes what comes otherwise. */
function listen(
  socket: Socket,
  { limits, events }: TransportOptions,
  probe: RefusalProbe,
): (bytes: Buffer, from: SipPeer) => void {
  const receive = (bytes: Buffer, from: SipPeer): void => {
    if (isKeepAlive(bytes)) return
    const reading = readMessage(bytes, 'datagram', limits)
    if (reading.type === 'message') events.onMessage(reading, from)
    else events.onGarbage(reading.type === 'unreadable' ? reading.why : reading.type, from)
  }
  socket.on('message', (bytes, { address, port }) => {
    const from: SipPeer = { transport: 'udp', address, port }
    probe.heard(from)
    receive(bytes, from)
  })
  // An ICMP error of an earlier datagram; the transaction it belongs to has its own timer.
  socket.on('error', (error) => {
    events.onGarbage(`socket error ${error.name}`, { transport: 'udp', address: '', port: 0 })
  })
  return receive
}

/**
 * Tells whether a socket listens at a port of this machine. An unconnected UDP socket never learns
 * that the system refused its datagrams, and a call to a softphone that is not running would ring
 * into nothing for half a minute. So a connected socket sends a keep-alive there, which every agent
 * ignores.
 */
class RefusalProbe implements Disposable {
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

/** The source of our datagrams on this machine, as the system would have it. */
function addressTowardNeighbours(host: string, port: number): SipPeer {
  const anywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  return { transport: 'udp', address: anywhere[host] ?? host, port }
}

/** True for empty lines and NULs, which keep a NAT binding open and carry nothing. */
function isKeepAlive(bytes: Buffer): boolean {
  if (bytes.length > 4) return false
  return bytes.every((byte) => byte === 0x0d || byte === 0x0a || byte === 0)
}

function isInvite(bytes: Buffer): boolean {
  return bytes.subarray(0, 7).toString('latin1') === 'INVITE '
}
