import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { RTP_END, WORKERS, workerIndex } from './rtp-range.js'

/** The first port that the kernel uses for outgoing connections. */
const KERNEL_FIRST = 32_768
/**
 * Number of ports per worker; separate ranges prevent another worker from taking a port between its check and
 * its use.
 */
const WIDTH = Math.floor((KERNEL_FIRST - RTP_END) / WORKERS)
const MAX_TRIES = 200

/** Next port to try, relative to the worker's first; each is reused as late as possible. */
let next = randomInt(WIDTH)

/**
 * Finds `count` consecutive ports that are free for UDP and TCP; resolves with the first. They are below the
 * kernel's range and above the RTP range, and are not handed out twice.
 */
export async function freePort(count = 1): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (next + count > WIDTH) next = 0
    const port = RTP_END + workerIndex() * WIDTH + next
    next += count
    const wanted = Array.from({ length: count }, (_, index) => port + index)
    const free = await Promise.all(wanted.map(isFree))
    if (free.every(Boolean)) return port
  }
  throw new Error(`no ${count} free ports from ${RTP_END} on`)
}

async function isFree(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  const server = createServer()
  try {
    socket.bind(port, '127.0.0.1')
    await once(socket, 'listening')
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    // The port is in use: the caller tries another.
    return false
  } finally {
    const closed = [once(socket, 'close'), ...(server.listening ? [once(server, 'close')] : [])]
    socket.close()
    server.close()
    await Promise.all(closed)
  }
}
