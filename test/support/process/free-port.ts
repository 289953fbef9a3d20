import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** The first port to try, below the range that the kernel uses for outgoing connections. */
const FIRST = 10_000
const LAST = 19_990
const MAX_TRIES = 50

/** Finds `count` consecutive ports that are free for UDP and TCP; resolves with the first. */
export async function freePort(count = 1): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST))
    const wanted = Array.from({ length: count }, (_, index) => port + index)
    const free = await Promise.all(wanted.map(isFree))
    if (free.every(Boolean)) return port
  }
  throw new Error(`no ${count} free ports from ${FIRST} to ${LAST}`)
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
    // The port is taken: the caller tries another.
    return false
  } finally {
    const closed = [once(socket, 'close'), ...(server.listening ? [once(server, 'close')] : [])]
    socket.close()
    server.close()
    await Promise.all(closed)
  }
}
