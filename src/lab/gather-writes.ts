import type { Socket } from 'node:net'

/**
 * Gathers what is written to the socket from now until the end of this turn of the event loop, where it
 * leaves in one call of the system. To be called before each write.
 */
export function gatherWrites(socket: Socket): void {
  if (socket.writableCorked > 0) return
  socket.cork()
  setImmediate(() => {
    socket.uncork()
  })
}
