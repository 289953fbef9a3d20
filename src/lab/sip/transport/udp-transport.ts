import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { readMessage } from '../message/read-message.js'
import type { SipPeer } from '../model/stack-types.js'
import { RefusalProbe } from './refusal-probe.js'
import type { SendOptions, Transport, TransportOptions } from './transport.js'

/**
 * The receive buffer, for a burst of some thousand messages; the kernel cuts it to what the system
 * allows.
 */
const RECEIVE_BUFFER_BYTES = 4 * 1024 * 1024

/** Opens a socket; rejects when the address is not ours or the port is taken. */
export async function openUdpTransport(options: TransportOptions): Promise<Transport> {
  const isV6 = isIPv6(options.host)
  const socket = createSocket({
    type: isV6 ? 'udp6' : 'udp4',
    ipv6Only: isV6,
    recvBufferSize: RECEIVE_BUFFER_BYTES,
    sendBufferSize: RECEIVE_BUFFER_BYTES,
    // Addresses are numeric here; the system's look-up would only cost a turn of the event loop.
    lookup: (address, _options, callback) => {
      callback(null, address, isV6 ? 6 : 4)
    },
  })
  try {
    // Subscribed first: the look-up above is synchronous, and so is then the event.
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
