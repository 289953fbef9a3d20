/** Opens two UDP sockets: RTP on an even port, RTCP on the one above (RFC 3550 §11). */
import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { NoPortError } from '../model/media-engine.js'

/** Size of the receive buffer in bytes; it holds 1.5 s of packets while the thread is busy. */
const RECEIVE_BUFFER_BYTES = 128 * 1024
/** Number of attempts with system-chosen ports; half of those ports are even. */
const SYSTEM_TRIES = 50

export interface UdpPair {
  readonly rtp: Socket
  readonly rtcp: Socket
  readonly port: number
}

/** Opens a pair. Rejects with NoPortError when no pair of the range can be bound. */
export async function openUdpPair(host: string, ports: PortRange): Promise<UdpPair> {
  if (ports.isSystemChosen) return openAnywhere(host)
  for (const port of ports.candidates()) {
    let pair: UdpPair | undefined
    try {
      pair = await tryPair(host, port)
    } finally {
      if (pair === undefined) ports.giveBack(port)
    }
    if (pair !== undefined) return pair
  }
  throw new NoPortError('no free pair of RTP ports is left in the range')
}

/** Allocates the even ports of a range in rotation, so that a port is reused as late as possible. */
export class PortRange {
  readonly #first: number
  readonly #count: number
  readonly #taken = new Set<number>()
  #next = 0

  /**
   * Takes a range with both ends inclusive; an odd first is rounded up. With 0–0 the system
   * chooses.
   */
  constructor(range: { readonly first: number; readonly last: number }) {
    this.#first = range.first + (range.first % 2)
    // RTCP also needs the port above.
    this.#count = Math.max(0, Math.floor((range.last - 1 - this.#first) / 2) + 1)
    if (range.first === 0) this.#count = 0
  }

  get isSystemChosen(): boolean {
    return this.#first === 0
  }

  /**
   * Yields free ports in the order in which to try them; each counts as taken when it is yielded.
   */
  *candidates(): Generator<number> {
    for (let tries = 0; tries < this.#count; tries++) {
      const port = this.#first + 2 * (this.#next++ % this.#count)
      if (this.#taken.has(port)) continue
      this.#taken.add(port)
      yield port
    }
  }

  giveBack(port: number): void {
    this.#taken.delete(port)
  }
}

export async function closeUdpPair(pair: UdpPair): Promise<void> {
  await Promise.all([closeSocket(pair.rtp), closeSocket(pair.rtcp)])
}

async function openAnywhere(host: string): Promise<UdpPair> {
  for (let tries = 0; tries < SYSTEM_TRIES; tries++) {
    const pair = await tryPair(host, 0)
    if (pair !== undefined) return pair
  }
  throw new NoPortError('the system has no free pair of ports')
}

async function tryPair(host: string, port: number): Promise<UdpPair | undefined> {
  const rtp = await tryBind(host, port)
  if (rtp === undefined) return undefined
  let rtcp: Socket | undefined
  try {
    const bound = rtp.address().port
    if (bound % 2 === 0) rtcp = await tryBind(host, bound + 1)
    return rtcp && { rtp, rtcp, port: bound }
  } finally {
    if (rtcp === undefined) await closeSocket(rtp)
  }
}

/** Binds a port. Resolves with undefined when it is in use; rejects on other failures. */
function tryBind(host: string, port: number): Promise<Socket | undefined> {
  const family = isIPv6(host) ? 6 : 4
  const socket = createSocket({
    type: family === 6 ? 'udp6' : 'udp4',
    recvBufferSize: RECEIVE_BUFFER_BYTES,
    // Addresses are numeric here; the resolver would only cost a turn of the event loop per packet.
    lookup: (address, _options, done) => {
      done(null, address, family)
    },
  })
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      socket.close()
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined)
      else reject(error)
    }
    socket.once('error', onError)
    socket.once('listening', () => {
      socket.off('error', onError)
      resolve(socket)
    })
    socket.bind({ address: host, port, exclusive: true })
  })
}

function closeSocket(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.close(resolve)
  })
}
