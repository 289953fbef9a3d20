import { once } from 'node:events'
import { Agent, request as httpRequest, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type Listener,
  type ListenerOptions,
  startListener,
} from '../../../../src/platform/http/listener.js'

const open: Listener[] = []
const sockets: Socket[] = []

async function listen(app: Hono, more: Partial<ListenerOptions> = {}): Promise<Listener> {
  const listener = await startListener(app, { host: '127.0.0.1', port: 0, ...more })
  open.push(listener)
  return listener
}

async function dial(port: number, from = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  sockets.push(socket.on('error', () => undefined))
  await once(socket, 'connect')
  return socket
}

/** Everything the server says until it closes the connection. */
async function transcript(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  if (!socket.closed) await once(socket, 'close')
  return text
}

function appOf(routes: (app: Hono) => void): Hono {
  const app = new Hono()
  routes(app)
  return app
}

const echo = (): Hono =>
  appOf((app) => {
    app.post('/echo', async (c) => c.text(String((await c.req.text()).length)))
    app.onError((_error, c) => c.text('broken', 500))
  })
const hello = (): Hono =>
  appOf((app) => {
    app.get('/', (c) => c.text('hello'))
  })

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await Promise.all(open.splice(0).map((listener) => listener[Symbol.asyncDispose]()))
})

describe('listener', () => {
  it('serves the app on the port it says', async () => {
    const { port } = await listen(hello())
    const response = await fetch(`http://127.0.0.1:${port}/`)
    expect(await response.text()).toBe('hello')
  })

  it('fails when the address is taken', async () => {
    const { port } = await listen(new Hono())
    await expect(startListener(new Hono(), { host: '127.0.0.1', port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    })
  })

  describe('limits', () => {
    const limits = { maxBodyBytes: 1_000 }

    it.each([
      [1_000, 200, '1000'],
      [1_001, 413, undefined],
    ])('a body of %i bytes is answered %i', async (size, status, text) => {
      const { port } = await listen(echo(), { limits })
      const body = 'x'.repeat(size)
      const response = await fetch(`http://127.0.0.1:${port}/echo`, { method: 'POST', body })
      expect(response.status).toBe(status)
      if (text !== undefined) expect(await response.text()).toBe(text)
    })

    it.each([
      [1_000, 200],
      [1_001, 413],
      [5_000_000, 413],
    ])('a chunked body of %i bytes is answered %i', async (size, status) => {
      const { port } = await listen(echo(), { limits })
      const outgoing = httpRequest({ port, host: '127.0.0.1', path: '/echo', method: 'POST' })
      const answered = once(outgoing, 'response') as Promise<
        [{ statusCode: number; resume(): void }]
      >
      outgoing.write('x'.repeat(size / 2))
      outgoing.end('x'.repeat(Math.ceil(size / 2)))
      const [response] = await answered
      expect(response.statusCode).toBe(status)
      response.resume()
    })

    it.each([
      ['GET', 500, 200],
      ['GET', 5_000, 413],
      ['HEAD', 500, 200],
    ])('a %s with a chunked body of %i bytes is answered %i', async (method, size, status) => {
      const { port } = await listen(hello(), { limits })
      const socket = await dial(port)
      const heard = transcript(socket)
      const head = `${method} / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked`
      socket.write(`${head}\r\n\r\n${size.toString(16)}\r\n${'x'.repeat(size)}\r\n0\r\n\r\n`)
      expect(await heard).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} `))
    })

    it.each([
      ['a length', 'Content-Length: 5000000', ''],
      ['chunks', 'Transfer-Encoding: chunked', `${(5_000_000).toString(16)}\r\n`],
    ])('a client that writes a body with %s to its end, then reads, is answered 413', async (_how, header, start) => {
      const { port } = await listen(echo(), { limits })
      const socket = await dial(port)
      const write = (text: string) =>
        new Promise<void>((resolve) => {
          socket.write(text, () => {
            resolve()
          })
        })
      socket.pause()
      await write(`POST /echo HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n${start}`)
      for (let i = 0; i < 100; i += 1) await write('x'.repeat(50_000))
      socket.end(start === '' ? '' : '\r\n0\r\n\r\n')
      const heard = transcript(socket)
      socket.resume()
      expect(await heard).toMatch(/^HTTP\/1\.1 413 /)
    })

    // The adapter of the app gives an unread body half a second.
    it.each([
      ['that is to be closed', 413, 'Connection: close\r\n', 5_000_000, 0],
      ['of a slow client', 401, '', 900, 15],
      ['of a slow client that is to be closed', 401, 'Connection: close\r\n', 900, 15],
    ])('a connection %s stays until its body has come, though nobody reads it: %i', async (_which, status, header, size, pieceMs) => {
      const refuse = appOf((app) => {
        app.post('/echo', (c) => c.text('no', 401))
      })
      const { port } = await listen(refuse, { limits })
      const socket = await dial(port)
      const write = promisify((text: string, done: (error?: Error | null) => void) => {
        socket.write(text, done)
      })
      socket.pause()
      await write(`POST /echo HTTP/1.1\r\nHost: a\r\n${header}Content-Length: ${size}\r\n\r\n`)
      for (let piece = 0; piece < 100; piece += 1) {
        await pause(pieceMs)
        await write('x'.repeat(size / 100))
      }
      const heard = transcript(socket)
      socket.resume()
      socket.end()
      expect(await heard).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    })

    it('a client that goes on with a body after the 413 is cut off when the request has had its time', async () => {
      const times = { headersTimeoutMs: 200, requestTimeoutMs: 400 }
      const { port } = await listen(echo(), { limits: { ...limits, ...times } })
      const socket = await dial(port)
      socket.on('error', () => undefined) // it is cut off while it writes
      const closed = new Promise((resolve) => socket.once('close', resolve))
      let heard = ''
      socket.on('data', (chunk: Buffer) => (heard += chunk.toString()))
      socket.write('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000000\r\n\r\n')
      const writing = setInterval(() => socket.write('x'.repeat(1_000)), 10)
      try {
        await closed
      } finally {
        clearInterval(writing)
      }
      expect(heard).toMatch(/^HTTP\/1\.1 413 /)
    })

    it('an upload is its handler\u2019s to bound', async () => {
      const isUpload = (method: string, path: string) => method === 'POST' && path === '/echo'
      const { port } = await listen(echo(), { limits, isUpload })
      const post = (body: string | ReadableStream) =>
        fetch(`http://127.0.0.1:${port}/echo`, { method: 'POST', body, duplex: 'half' })
      expect(await (await post('x'.repeat(5_000))).text()).toBe('5000')
      const chunked = ReadableStream.from([Buffer.from('x'), Buffer.alloc(5_000, 'x')])
      expect(await (await post(chunked)).text()).toBe('5001')
    })

    it('an upload is one by a whole URL too (RFC 9112 section 3.2.2)', async () => {
      const isUpload = (_method: string, path: string) => path === '/echo'
      const { port } = await listen(echo(), { limits, isUpload })
      const socket = await dial(port)
      const heard = transcript(socket)
      const head =
        'POST http://a/echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5000'
      socket.write(`${head}\r\n\r\n${'x'.repeat(5_000)}`)
      expect(await heard).toMatch(/^HTTP\/1\.1 200 /)
    })

    it('the caller shapes the refusal', async () => {
      const tooLarge = () => Response.json({ code: 20413 }, { status: 413 })
      const { port } = await listen(echo(), { limits, tooLarge })
      const body = 'x'.repeat(2_000)
      const response = await fetch(`http://127.0.0.1:${port}/echo`, { method: 'POST', body })
      expect(await response.json()).toEqual({ code: 20413 })
    })

    it('headers beyond theirs are refused', async () => {
      const { port } = await listen(hello(), { limits: { maxHeaderBytes: 2_000 } })
      const socket = await dial(port)
      socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(5_000)}\r\n\r\n`)
      expect(await transcript(socket)).toMatch(/^HTTP\/1.1 431 /)
    })

    it.each(['a', 'b'])('a second Host is refused, %s after a', async (second) => {
      const { port } = await listen(hello(), { limits })
      const socket = await dial(port)
      socket.write(`GET / HTTP/1.1\r\nHost: a\r\nhost: ${second}\r\n\r\n`)
      expect(await transcript(socket)).toMatch(/^HTTP\/1.1 400 /)
    })

    it.each([
      ['nothing at all', ''],
      ['half a header', 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow'],
      ['half a body', 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc'],
    ])('a connection that sends %s is closed in time', async (_title, text) => {
      const short = { headersTimeoutMs: 50, requestTimeoutMs: 100, stalledTimeoutMs: 2_000 }
      const { port } = await listen(echo(), { limits: short })
      const socket = await dial(port)
      if (text !== '') socket.write(text)
      const said = await transcript(socket)
      expect(said === '' || said.startsWith('HTTP/1.1 408 ')).toBe(true)
    })

    it('[A4] a thousand half requests are closed in time, and whole ones answered meanwhile', async () => {
      const short = { headersTimeoutMs: 2_500, requestTimeoutMs: 2_500, maxConnections: 1_200 }
      const { port } = await listen(hello(), { limits: short })
      const sockets = await Promise.all(Array.from({ length: 1_000 }, () => dial(port)))
      const closed = sockets.map((socket) => transcript(socket))
      for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: a\r\nX-Slow')
      expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
      for (const said of await Promise.all(closed)) expect(said).toMatch(/^(HTTP\/1.1 408 |$)/)
    })

    it('a reader that does not read is cut off, an event stream that is silent is not', async () => {
      let sent: ServerResponse | undefined
      const app = appOf((routes) => {
        routes.get('/endless', (c) => {
          sent = (c.env as HttpBindings).outgoing // what the listener hands to every app
          return c.body('x'.repeat(50_000_000))
        })
        routes.get('/events', () => new Response(new ReadableStream()))
      })
      const { port } = await listen(app, {
        limits: { stalledTimeoutMs: 1_000 },
        hasEventStreams: true,
      })
      const events = await dial(port)
      events.write('GET /events HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n')
      await once(events, 'data')
      const reader = await dial(port)
      reader.write('GET /endless HTTP/1.1\r\nHost: a\r\n\r\n')
      await once(reader, 'readable') // and never read
      if (sent === undefined) throw new Error('nothing was sent')
      if (!sent.closed) await once(sent, 'close')
      expect((await transcript(reader)).length).toBeLessThan(50_000_000)
      expect(events.destroyed).toBe(false)
    })

    it('a reader that does not read is cut off though it asks for events where there are none', async () => {
      let sent: ServerResponse | undefined
      const app = appOf((routes) => {
        routes.get('/endless', (c) => {
          sent = (c.env as HttpBindings).outgoing // what the listener hands to every app
          return c.body('x'.repeat(50_000_000))
        })
      })
      const { port } = await listen(app, { limits: { stalledTimeoutMs: 1_000 } })
      const reader = await dial(port)
      reader.write('GET /endless HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n')
      await once(reader, 'readable') // and never read
      if (sent === undefined) throw new Error('nothing was sent')
      if (!sent.closed) await once(sent, 'close')
      expect((await transcript(reader)).length).toBeLessThan(50_000_000)
    })

    it('connections beyond theirs are closed, and those that are open live on', async () => {
      const { port } = await listen(hello(), { limits: { maxConnections: 2 } })
      const [first, second] = [await dial(port), await dial(port)]
      const third = connect(port, '127.0.0.1')
      sockets.push(third.on('error', () => undefined))
      await transcript(third)
      first.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      expect(await transcript(first)).toContain('200 OK')
      expect(second.destroyed).toBe(false)
    })
  })

  describe('strangers', () => {
    const limits = {
      ...{ maxConnections: 12, maxPerSource: 11 },
      ...{ maxStrangers: 8, maxStrangersPerSource: 3 },
    }
    const known = '127.0.0.200'
    const proxy = '127.0.0.201'
    const peers = {
      isKnown: (address: string) => address === known,
      isProxy: (address: string) => address === proxy,
    }
    const stranger = (index: number) => `127.0.0.${String(10 + index)}`

    /** The answer to a request of its own connection; empty when that is closed. */
    async function asked(port: number, from: string): Promise<string> {
      const socket = await dial(port, from)
      socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      return await transcript(socket)
    }

    it('of one address leave room to others', async () => {
      const { port } = await listen(hello(), { limits, peers })
      const crowd = await Promise.all(Array.from({ length: 20 }, () => dial(port, stranger(0))))
      await expect.poll(() => crowd.filter(({ closed }) => !closed).length).toBe(3)
      expect(await asked(port, stranger(1))).toContain('200 OK')
      expect(await asked(port, known)).toContain('200 OK')
    })

    it('of many addresses make room: the oldest that is not busy goes', async () => {
      let finish: ((response: Response) => void) | undefined
      const held = new Promise<Response>((resolve) => {
        finish = resolve
      })
      const app = appOf((routes) => routes.get('/held', () => held).get('/', (c) => c.text('hi')))
      const { port } = await listen(app, { limits, peers })
      const busy = await dial(port, stranger(0))
      busy.write('GET /held HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      const friend = await dial(port, known)
      const crowd = []
      for (let index = 1; index <= 8; index += 1) crowd.push(await dial(port, stranger(index)))
      await transcript(crowd[0] ?? friend)
      expect(await asked(port, stranger(9))).toContain('200 OK')
      finish?.(new Response('held'))
      expect(await transcript(busy)).toContain('200 OK')
      friend.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      expect(await transcript(friend)).toContain('200 OK')
    })

    it('that are all busy make room too', async () => {
      const app = appOf((routes) =>
        routes
          .get('/held', () => new Promise<Response>(() => undefined))
          .get('/', (c) => c.text('')),
      )
      const short = { ...limits, closeTimeoutMs: 10 }
      const { port } = await listen(app, { limits: short, peers })
      const crowd: Socket[] = []
      for (let index = 0; index < 8; index += 1) {
        const socket = await dial(port, stranger(index))
        socket.write('GET /held HTTP/1.1\r\nHost: a\r\n\r\n')
        crowd.push(socket)
      }
      expect(await asked(port, stranger(9))).toContain('200 OK')
      await expect.poll(() => crowd.map(({ closed }) => closed)).toContain(true)
    })

    it('are none behind a trusted proxy, which brings the connections of many', async () => {
      const { port } = await listen(hello(), { limits, peers })
      const crowd = await Promise.all(Array.from({ length: 12 }, () => dial(port, proxy)))
      const first = crowd[0] ?? (await dial(port))
      first.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      expect(await transcript(first)).toContain('200 OK')
      expect(crowd.filter(({ closed }) => closed)).toHaveLength(1)
    })

    it('give way to a known client when all the room is full', async () => {
      const { port } = await listen(hello(), { limits, peers })
      for (let index = 0; index < 8; index += 1) await dial(port, stranger(index))
      for (let index = 0; index < 10; index += 1) await dial(port, known)
      expect(await asked(port, known)).toContain('200 OK')
    })
  })

  describe('disposal', () => {
    it('lets a request in progress end and takes no new one', async () => {
      let finish: (() => void) | undefined
      const held = new Promise<void>((resolve) => {
        finish = resolve
      })
      let arrived: (() => void) | undefined
      const isThere = new Promise<void>((resolve) => {
        arrived = resolve
      })
      const app = appOf((routes) =>
        routes.get('/', async (c) => {
          arrived?.()
          await held
          return c.text('done')
        }),
      )
      const listener = await listen(app)
      const agent = new Agent({ keepAlive: true })
      const outgoing = httpRequest({ port: listener.port, host: '127.0.0.1', agent })
      const answered = once(outgoing, 'response') as Promise<
        [{ statusCode: number; resume(): void }]
      >
      outgoing.end()
      await isThere
      const disposed = listener[Symbol.asyncDispose]()
      const late = connect(listener.port, '127.0.0.1')
      sockets.push(late)
      await expect(once(late, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
      finish?.()
      const [response] = await answered
      response.resume()
      expect(response.statusCode).toBe(200)
      await disposed
      agent.destroy()
    })

    it('waits for no event stream, no idle connection, and no request beyond the limit', async () => {
      const app = hello()
      app.get('/events', () => new Response(new ReadableStream()))
      app.get('/never', () => new Promise<Response>(() => undefined))
      const patient = await listen(app, {
        limits: { closeTimeoutMs: 600_000 },
        hasEventStreams: true,
      })
      const idle = await dial(patient.port)
      idle.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      await once(idle, 'data')
      const events = await dial(patient.port)
      events.write('GET /events HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n')
      await once(events, 'data')
      await patient[Symbol.asyncDispose]()

      const hasty = await listen(app, { limits: { closeTimeoutMs: 20 } })
      const stuck = await dial(hasty.port)
      stuck.write('GET /never HTTP/1.1\r\nHost: a\r\n\r\n')
      const ended = transcript(stuck)
      await hasty[Symbol.asyncDispose]()
      expect(await ended).toBe('')
      await hasty[Symbol.asyncDispose]()
    })
  })
})
