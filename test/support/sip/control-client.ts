import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { encodeFrame, FrameReader } from '../../../src/lab/drachtio-server/frames.js'

/**
 * A client of the control protocol that sends exactly the bytes that a test writes. Its disposal resolves when
 * the server has closed the connection too.
 */
export interface ControlClient extends AsyncDisposable {
  readonly isClosed: boolean
  /** Sends `id|…`; resolves with the raw response. */
  ask(command: string): Promise<string>
  /** Resolves with the first event whose SIP message starts with `start`; waits up to 15 s. */
  event(start: string): Promise<ControlEvent>
  closed(): Promise<void>
}

export interface ControlEvent {
  readonly frame: string
  readonly tokens: readonly string[]
  readonly transactionId: string
  readonly dialogId: string
}

const WAIT_MS = 15_000

export async function openControl(port: number, secret?: string): Promise<ControlClient> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const reader = new FrameReader()
  const frames: string[] = []
  const arrivals = new EventEmitter()
  let isClosed = false
  socket.on('data', (chunk: Buffer) => {
    frames.push(...reader.push(chunk))
    arrivals.emit('frame')
  })
  socket.on('error', () => undefined)
  socket.once('close', () => {
    isClosed = true
    arrivals.emit('frame')
  })
  const take = async (what: string, look: (frame: string) => boolean): Promise<string> => {
    const limit = AbortSignal.timeout(WAIT_MS)
    for (;;) {
      const at = frames.findIndex(look)
      const [found] = at < 0 ? [] : frames.splice(at, 1)
      if (found !== undefined) return found
      await once(arrivals, 'frame', { signal: limit }).catch((cause: unknown) => {
        throw new Error(`no ${what}; there is:\n${frames.join('\n')}`, { cause })
      })
    }
  }
  let count = 0
  const client: ControlClient = {
    get isClosed() {
      return isClosed
    },
    ask: (command) => {
      count += 1
      const id = `m${String(count)}`
      socket.write(encodeFrame(`${id}|${command}`))
      return take(`response to ${command}`, (frame) => frame.split('|', 3)[2] === id)
    },
    event: async (start) => {
      const frame = await take(
        start,
        (each) => each.includes('|sip|') && each.includes(`\r\n${start}`),
      )
      const tokens = frame.slice(0, frame.indexOf('\r\n')).split('|')
      return { frame, tokens, transactionId: tokens[8] ?? '', dialogId: tokens[9] ?? '' }
    },
    closed: async () => {
      while (!isClosed) await once(socket, 'close', { signal: AbortSignal.timeout(WAIT_MS) })
    },
    [Symbol.asyncDispose]: async () => {
      // The server closes its side once it has read our end, and then sends no more requests to this client.
      socket.end()
      while (!isClosed) await once(socket, 'close', { signal: AbortSignal.timeout(WAIT_MS) })
    },
  }
  if (secret !== undefined) await client.ask(`authenticate|${secret}|`)
  return client
}
