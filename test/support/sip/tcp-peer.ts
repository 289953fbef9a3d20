import { once } from 'node:events'
import { connect } from 'node:net'
import { eventually } from './sip-stacks.js'

/** A bare TCP connection on loopback that sends exactly the bytes that a test writes. */
export interface TcpPeer extends AsyncDisposable {
  readonly isClosed: boolean
  /** Received text so far. */
  readonly text: string
  write(bytes: Buffer | string): Promise<void>
  /** Waits until the other side closes the connection. */
  closed(): Promise<void>
}

export async function openTcpPeer(
  port: number,
  options: { readonly allowHalfOpen?: boolean; readonly localAddress?: string } = {},
): Promise<TcpPeer> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, ...options })
  await once(socket, 'connect')
  const seen = { text: '', isClosed: false }
  socket.on('data', (chunk) => {
    seen.text += chunk.toString()
  })
  // The other side may reset the connection; the test checks that it is closed.
  socket.on('error', () => undefined)
  socket.on('close', () => {
    seen.isClosed = true
  })
  return {
    get isClosed() {
      return seen.isClosed
    },
    get text() {
      return seen.text
    },
    write: (bytes) =>
      new Promise((resolve) => {
        socket.write(bytes, () => {
          resolve()
        })
      }),
    closed: async () => {
      await eventually(() => seen.isClosed)
    },
    [Symbol.asyncDispose]: async () => {
      if (seen.isClosed) return
      const closed = once(socket, 'close')
      socket.destroy()
      await closed
    },
  }
}
