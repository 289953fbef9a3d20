import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { SinkTls } from '../http/http-sink.js'
import { waitUntil } from '../time/wait-until.js'

const LIMIT_MS = 20_000

/** A received message of the convention's media streams. */
export type StreamMessage = Readonly<Record<string, unknown>> & { readonly event: string }

/** One connection to a customer's stream server. */
export interface ServedStream {
  readonly request: IncomingMessage
  readonly socket: WebSocket
  readonly messages: readonly StreamMessage[]
  /** Code of the close frame; undefined if none was received. */
  readonly closeCode: number | undefined
  readonly streamSid: string
  /** Returned marks in order, with their times. */
  readonly marks: readonly { readonly name: string; readonly at: number }[]
  /** µ-law bytes of a track, in order. */
  audio(track?: string): Buffer
  media(audio: Buffer): void
  mark(name: string): void
  clear(): void
}

/** A customer's media stream server, written from the convention's documentation. */
export interface StreamServer extends AsyncDisposable {
  readonly url: string
  readonly streams: readonly ServedStream[]
  /** Resolves with the first stream from `index` on, once its `start` has arrived. */
  started(index?: number): Promise<ServedStream>
  /** Sets a handler for upgrades, which are then not accepted; undefined accepts them again. */
  onUpgrade(handler: ((socket: Duplex) => void) | undefined): void
  /** Calls the listener for each connection, before any message. */
  onConnection(listener: (socket: Duplex) => void): void
}

export async function startStreamServer(tls?: SinkTls): Promise<StreamServer> {
  const http = tls === undefined ? createServer() : createTlsServer(tls)
  http.on('request', (_request, response) => response.writeHead(404).end())
  const upgrader = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  const streams: ServedStream[] = []
  const sockets = new Set<Duplex>()
  http.on('tlsClientError', () => undefined) // the client reports it
  let handler: ((socket: Duplex) => void) | undefined
  http.on('connection', (socket: Duplex) => sockets.add(socket))
  http.on('upgrade', (request, socket, head) => {
    socket.on('error', () => undefined) // tests may break it on purpose
    if (handler === undefined)
      upgrader.handleUpgrade(request, socket, head, (webSocket) => {
        streams.push(serve(request, webSocket))
      })
    else handler(socket)
  })
  await listen(http)
  return {
    url: `${tls === undefined ? 'ws' : 'wss'}://127.0.0.1:${(http.address() as AddressInfo).port}/stream`,
    streams,
    started: async (index = 0) => {
      await waitUntil(`stream ${index}`, () => (streams[index]?.streamSid ?? '') !== '', LIMIT_MS)
      const stream = streams[index]
      if (stream === undefined) throw new Error('no stream')
      return stream
    },
    onUpgrade: (next) => {
      handler = next
    },
    onConnection: (listener) => {
      http.on('connection', listener)
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      upgrader.close()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

async function listen(http: Server): Promise<void> {
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
}

function serve(request: IncomingMessage, socket: WebSocket): ServedStream {
  const messages: StreamMessage[] = []
  const marks: { name: string; at: number }[] = []
  let closeCode: number | undefined
  const streamSid = (): string => {
    const sid = messages.find(({ event }) => event === 'start')?.['streamSid']
    return typeof sid === 'string' ? sid : ''
  }
  const send = (message: object) => {
    socket.send(JSON.stringify({ ...message, streamSid: streamSid() }))
  }
  socket.on('error', () => undefined) // tests may break it on purpose
  socket.on('close', (code) => {
    closeCode = code
  })
  socket.on('message', (data) => {
    if (!Buffer.isBuffer(data)) throw new TypeError('a message in parts')
    const message = JSON.parse(data.toString('utf8')) as StreamMessage // JSON objects only
    messages.push(message)
    if (message.event === 'mark')
      marks.push({ name: (message['mark'] as { name: string }).name, at: performance.now() })
  })
  return {
    request,
    socket,
    messages,
    marks,
    get closeCode() {
      return closeCode
    },
    get streamSid() {
      return streamSid()
    },
    audio: (track = 'inbound') =>
      Buffer.concat(
        messages.flatMap((message) => {
          if (message.event !== 'media') return []
          const media = message['media'] as { track: string; payload: string }
          return media.track === track ? [Buffer.from(media.payload, 'base64')] : []
        }),
      ),
    media: (audio) => {
      send({ event: 'media', media: { payload: audio.toString('base64') } })
    },
    mark: (name) => {
      send({ event: 'mark', mark: { name } })
    },
    clear: () => {
      send({ event: 'clear' })
    },
  }
}
