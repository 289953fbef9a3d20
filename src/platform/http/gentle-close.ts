import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Closes connections in stages (RFC 9112 section 9.6) where the client still sends a body that nobody
 * reads: the writing side ends, and the rest of the body is read and dropped until it is over, the
 * client closes, or `limitMs` have passed. A client that writes its whole request before it reads
 * would find a reset in place of the answer. For Node closes at once after the answer to a request
 * with `Connection: close`, and the adapter of the app half a second after an answer whose request has
 * a body left.
 */
export function closeGently(server: Server, limitMs: number): void {
  const latest = new WeakMap<Socket, IncomingMessage>()
  server.prependListener('request', (incoming: IncomingMessage) => {
    latest.set(incoming.socket, incoming)
  })
  server.on('connection', (socket: Socket) => {
    const close = socket.destroySoon.bind(socket)
    let isEnding = false
    // Both ask for the end of a connection by this.
    socket.destroySoon = () => {
      if (isEnding) return
      const incoming = latest.get(socket)
      if (incoming === undefined || incoming.complete || incoming.destroyed) {
        close()
        return
      }
      isEnding = true
      const timer = setTimeout(() => socket.destroy(), limitMs)
      socket.once('close', () => {
        clearTimeout(timer)
      })
      incoming.once('end', close)
      incoming.removeAllListeners('data') // a reader that has stopped would hold it back
      incoming.resume()
      socket.end()
    }
  })
}
