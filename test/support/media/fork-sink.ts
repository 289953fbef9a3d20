import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { waitUntil } from '../time/wait-until.js'

/** A websocket server at the far end of a fork: records the audio, and can send messages. */
export interface ForkSink extends AsyncDisposable {
  readonly url: string
  readonly requests: IncomingMessage[]
  readonly texts: string[]
  readonly frames: Buffer[]
  readonly closes: number[]
  /** Socket of the last fork. */
  socket(): WebSocket
  /** 16-bit samples of a channel, in order. */
  samples(channel?: number, channels?: number): Int16Array
  waitForFrames(count: number): Promise<void>
}

export async function openForkSink(): Promise<ForkSink> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
  await once(server, 'listening')
  const sockets: WebSocket[] = []
  const sink = {
    requests: [] as IncomingMessage[],
    texts: [] as string[],
    frames: [] as Buffer[],
    closes: [] as number[],
  }
  server.on('connection', (socket, request) => {
    sockets.push(socket)
    sink.requests.push(request)
    socket.on('error', () => undefined) // tests may break it on purpose
    socket.on('close', (code) => sink.closes.push(code))
    socket.on('message', (data, isBinary) => {
      if (!Buffer.isBuffer(data)) throw new TypeError('a message in parts')
      if (isBinary) sink.frames.push(data)
      else sink.texts.push(data.toString('utf8'))
    })
  })
  return {
    ...sink,
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/fork`,
    socket: () => {
      const socket = sockets.at(-1)
      if (socket === undefined) throw new Error('no fork has connected')
      return socket
    },
    samples: (channel = 0, channels = 1) => {
      const bytes = Buffer.concat(sink.frames)
      const count = Math.floor(bytes.length / 2 / channels)
      return Int16Array.from({ length: count }, (_, i) =>
        bytes.readInt16LE(2 * (i * channels + channel)),
      )
    },
    waitForFrames: (count) => waitUntil(`${count} frames`, () => sink.frames.length >= count),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.terminate()
      server.close()
      await once(server, 'close')
    },
  }
}
