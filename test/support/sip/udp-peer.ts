import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { eventually } from './sip-stacks.js'

/** A bare UDP socket on loopback that sends exactly the bytes that a test writes. */
export interface UdpPeer extends AsyncDisposable {
  readonly port: number
  readonly received: Buffer[]
  send(bytes: Buffer | string, port: number): void
  /** Takes the first datagram that `look` accepts. */
  take(look?: (text: string) => boolean): Promise<string>
}

export async function openUdpPeer(address = '127.0.0.1'): Promise<UdpPeer> {
  const socket = createSocket('udp4')
  socket.bind(0, address)
  await once(socket, 'listening')
  const received: Buffer[] = []
  socket.on('message', (bytes) => received.push(bytes))
  return {
    port: socket.address().port,
    received,
    send: (bytes, port) => {
      socket.send(bytes, port, '127.0.0.1')
    },
    take: (look = () => true) =>
      eventually(() => {
        const index = received.findIndex((bytes) => look(bytes.toString()))
        return index === -1 ? undefined : received.splice(index, 1)[0]?.toString()
      }),
    [Symbol.asyncDispose]: async () => {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}
