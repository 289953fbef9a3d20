import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/**
 * Finds a UDP port of loopback that was free a moment ago, for a program that must be told its
 * port.
 */
export async function freePort(): Promise<number> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  const closed = once(socket, 'close')
  socket.close()
  await closed
  return port
}
