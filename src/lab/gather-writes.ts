import type { Socket } from 'node:net'

/**
 * Collects what is written to the socket during this event-loop iteration and flushes it in one write. Call
 * it before each write.
 */
export function gatherWrites(socket: Socket): void {
  if (socket.writableCorked > 0) return
  socket.cork()
  setImmediate(() => {
    socket.uncork()
  })
}
