import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** One stream that was opened to the server. */
export interface FarEndStream {
  readonly socket: WebSocket
  streamSid: string
}

export interface FarEndEvents {
  /** Gets the µ-law of one frame as it came; `at` is of `performance.now()`. */
  readonly onMedia: (stream: FarEndStream, payload: Buffer, at: number) => void
  readonly onMark?: (stream: FarEndStream, name: string, at: number) => void
}

/** A customer's stream server that does only what is necessary. */
export interface StreamFarEnd {
  readonly port: number
  readonly streams: readonly FarEndStream[]
  close(): Promise<void>
}

const PAYLOAD = '"payload":"'

export async function openStreamFarEnd(events: FarEndEvents): Promise<StreamFarEnd> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
  const streams: FarEndStream[] = []
  server.on('connection', (socket) => {
    const stream: FarEndStream = { socket, streamSid: '' }
    socket.on('error', () => undefined) // 'close' follows
    socket.on('message', (data: Buffer) => {
      const at = performance.now()
      const text = data.toString('latin1')
      const begin = text.indexOf(PAYLOAD)
      if (begin >= 0) {
        const from = begin + PAYLOAD.length
        events.onMedia(stream, Buffer.from(text.slice(from, text.indexOf('"', from)), 'base64'), at)
      } else if (text.includes('"event":"mark"'))
        events.onMark?.(stream, /"name":"([^"]*)"/.exec(text)?.[1] ?? '', at)
      else if (text.includes('"event":"start"')) {
        stream.streamSid = /"streamSid":"(\w+)"/.exec(text)?.[1] ?? ''
        streams.push(stream)
      }
    })
  })
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port, // it listens on TCP
    streams,
    close: async () => {
      for (const socket of server.clients) socket.terminate()
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve()
        })
      })
    },
  }
}

export function sendMedia({ socket, streamSid }: FarEndStream, audio: Buffer): void {
  const payload = audio.toString('base64')
  socket.send(JSON.stringify({ event: 'media', streamSid, media: { payload } }))
}

export function sendMark({ socket, streamSid }: FarEndStream, name: string): void {
  socket.send(JSON.stringify({ event: 'mark', streamSid, mark: { name } }))
}

export function sendClear({ socket, streamSid }: FarEndStream): void {
  socket.send(JSON.stringify({ event: 'clear', streamSid }))
}
