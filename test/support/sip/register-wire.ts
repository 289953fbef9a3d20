import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'

/** Transport between a register client and the server. */
export interface RegisterWire {
  readonly port: number
  readonly transport: 'UDP' | 'TCP'
  send(text: string): void
  close(): Promise<void>
}

type OnMessage = (text: string) => void

export async function openUdpWire(
  sipPort: number,
  address: string,
  onMessage: OnMessage,
): Promise<RegisterWire> {
  const socket = createSocket('udp4')
  socket.bind(0, address)
  await once(socket, 'listening')
  socket.on('message', (bytes) => {
    onMessage(bytes.toString('utf8'))
  })
  return {
    port: socket.address().port,
    transport: 'UDP',
    send: (text) => {
      socket.send(text, sipPort, '127.0.0.1')
    },
    close: async () => {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

/** Opens one connection, for messages without bodies. */
export async function openTcpWire(
  sipPort: number,
  address: string,
  onMessage: OnMessage,
): Promise<RegisterWire> {
  const socket = connect({ host: '127.0.0.1', port: sipPort, localAddress: address, noDelay: true })
  await once(socket, 'connect')
  let rest = ''
  socket.on('data', (bytes) => {
    const messages = (rest + bytes.toString('utf8')).split('\r\n\r\n')
    rest = messages.pop() ?? ''
    for (const message of messages) onMessage(`${message}\r\n\r\n`)
  })
  // The server may reset the connection; the test notices missing answers.
  socket.on('error', () => undefined)
  return {
    port: socket.localPort ?? 0,
    transport: 'TCP',
    send: (text) => {
      socket.write(text)
    },
    close: async () => {
      if (socket.closed) return
      const closed = once(socket, 'close')
      socket.destroy()
      await closed
    },
  }
}
