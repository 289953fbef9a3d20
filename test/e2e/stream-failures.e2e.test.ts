import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import { TEST_AUTHORITY, tlsFixture } from '../support/http/tls-fixtures.js'
import { freePort } from '../support/process/free-port.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { toneShare } from '../support/sound/tone.js'
import { linear, muLawTone, openStreamRig, type StreamRig } from '../support/streams/stream-rig.js'
import {
  type ServedStream,
  type StreamServer,
  startStreamServer,
} from '../support/streams/stream-server.js'
import { waitUntil } from '../support/time/wait-until.js'

const LIMIT_MS = 20_000
const TEST_MS = 60_000
/** Share of the energy on one frequency: nearly all of it, but for what a busy machine delays. */
const CLEAR = 0.6

let rig: StreamRig
let server: StreamServer

beforeAll(async () => {
  rig = await openStreamRig({ NODE_EXTRA_CA_CERTS: TEST_AUTHORITY })
})
afterAll(() => rig[Symbol.asyncDispose]())
beforeEach(async () => {
  rig.peer.rtp.speak(0)
  rig.peer.rtp.forget()
  server = await startStreamServer()
  return () => server[Symbol.asyncDispose]()
})

/** A Connect to that server, and a tone once it is over. */
const connect = (url: string) =>
  rig.run(`<Connect><Stream ${rig.attributes(url)}/></Connect><Play>${rig.app.url}/tone.wav</Play>`)

function chunksOf(stream: ServedStream, track: string): readonly number[] {
  return stream.messages.flatMap((message) => {
    if (message.event !== 'media') return []
    const media = message['media'] as { track: string; chunk: string }
    return media.track === track ? [Number(media.chunk)] : []
  })
}

describe('a far end that never begins costs the call nothing and is told of once', () => {
  it.each([
    [
      'answers 404',
      '31920',
      (socket: Duplex) => {
        socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
      },
    ],
    [
      'answers garbage',
      '31920',
      (socket: Duplex) => {
        socket.end('garbage\r\n\r\n')
      },
    ],
    [
      'resets the upgrade',
      '31920',
      (socket: Duplex) => {
        if (socket instanceof Socket) socket.resetAndDestroy()
      },
    ],
    ['never answers', '31920', () => undefined],
  ])(
    '%s [E39]',
    async (_what, number, onUpgrade) => {
      server.onUpgrade(onUpgrade)
      const { sid, call } = await connect(server.url)
      await rig.hears(440)
      expect(await rig.toldInAll(sid, call)).toEqual(['stream-error'])
      expect(rig.told(sid)[0]?.['StreamError']).toContain(number)
    },
    TEST_MS,
  )

  it.each([
    ['is not there', '31902', async () => `ws://127.0.0.1:${await freePort()}`],
    ['knows no TLS', '31910', () => Promise.resolve(server.url.replace('ws:', 'wss:'))],
  ])(
    '%s [E39]',
    async (_what, number, url) => {
      const { sid, call } = await connect(await url())
      await rig.hears(440)
      expect(await rig.toldInAll(sid, call)).toEqual(['stream-error'])
      expect(rig.told(sid)[0]?.['StreamError']).toContain(number)
    },
    TEST_MS,
  )
})

describe('a URL with a fragment, which no websocket has', () => {
  it(
    'is refused before anybody is connected, in a document and by REST [E39]',
    async () => {
      const connections: Duplex[] = []
      server.onConnection((socket) => {
        connections.push(socket)
      })
      const url = `${server.url}#part`
      const { sid, call } = await rig.run(
        `<Connect><Stream ${rig.attributes(url)}/></Connect><Pause length="60"/>`,
      )
      await rig.logged(sid, '31923')
      const started = await rig.trunkline.api('POST', `/Calls/${sid}/Streams.json`, { Url: url })
      expect(started).toMatchObject({ status: 400, body: { code: 31923 } })
      call.bye()
      await rig.app.completed(sid)
      await expectNothingLeft(rig.trunkline)
      expect(connections).toEqual([])
    },
    TEST_MS,
  )
})

describe('a stream that ends before its far end has answered is told of once, as an error', () => {
  type Began = Awaited<ReturnType<StreamRig['run']>>

  it.each<[string, (began: Began) => unknown]>([
    [
      'the caller hangs up',
      ({ call }) => {
        call.bye()
      },
    ],
    [
      'the call is ended by REST',
      ({ sid }) => rig.trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'completed' }),
    ],
    [
      'the stream is stopped by REST',
      ({ sid }) =>
        rig.trunkline.api('POST', `/Calls/${sid}/Streams/mine.json`, { Status: 'stopped' }),
    ],
  ])(
    '%s',
    async (_what, end) => {
      const asked = new Promise<void>((resolve) => {
        server.onUpgrade(() => {
          resolve()
        })
      })
      const began = await rig.run(
        `<Start><Stream name="mine" ${rig.attributes(server.url)}/></Start><Pause length="60"/>`,
      )
      await asked
      await end(began)
      expect(await rig.toldInAll(began.sid, began.call)).toEqual(['stream-error'])
      expect(rig.told(began.sid)[0]?.['StreamError']).toContain('31900')
    },
    TEST_MS,
  )
})

describe('a far end that breaks off costs the call nothing and is told of once', () => {
  it.each([
    [
      'closes with 1008',
      '31921',
      (socket: WebSocket) => {
        socket.close(1008)
      },
    ],
    [
      'is gone without a close',
      '31903',
      (socket: WebSocket) => {
        socket.terminate()
      },
    ],
    [
      'resets the connection',
      '31903',
      (socket: WebSocket & { _socket?: Socket }) => {
        socket._socket?.resetAndDestroy() // the library hands it out no other way
      },
    ],
    [
      'sends a megabyte at once',
      '31924',
      (socket: WebSocket) => {
        socket.send('x'.repeat(1_000_000))
      },
    ],
    [
      'sends what is no websocket frame',
      '31924',
      (socket: WebSocket & { _socket?: Socket }) => {
        socket._socket?.write(Buffer.alloc(64, 0xff))
      },
    ],
  ])(
    '%s [E39]',
    async (_what, number, fail) => {
      const { sid, call } = await connect(server.url)
      fail((await server.started()).socket)
      await rig.hears(440)
      expect(await rig.toldInAll(sid, call)).toEqual(['stream-started', 'stream-error'])
      expect(rig.told(sid)[1]?.['StreamError']).toContain(number)
    },
    TEST_MS,
  )
})

describe('a far end that does not do as it should', () => {
  it(
    'stops reading: the oldest audio is thrown away, told once, the call plays on, and it goes on [E38]',
    async () => {
      const { sid, call } = await rig.run(
        `<Start><Stream ${rig.attributes(server.url)} track="both_tracks"/></Start>` +
          `<Play loop="0">${rig.app.url}/tone.wav</Play>`,
      )
      const far = await server.started()
      rig.peer.rtp.speak(500)
      const isCaller = () => toneShare(linear(far.audio()).subarray(-1_600), 500) > CLEAR
      await waitUntil('the caller', isCaller, LIMIT_MS)
      far.socket.pause()
      await waitUntil('the warning', () => rig.told(sid).length === 2, LIMIT_MS)
      expect(rig.told(sid)[1]).toMatchObject({ StreamEvent: 'stream-error' })
      expect(rig.told(sid)[1]?.['StreamError']).toContain('31930')
      rig.peer.rtp.forget()
      await rig.hears(440)
      rig.peer.rtp.speak(800)
      far.socket.resume()
      const isNew = () => toneShare(linear(far.audio()).subarray(-1_600), 800) > CLEAR
      await waitUntil('what the caller says now', isNew, LIMIT_MS)
      for (const track of ['inbound', 'outbound']) {
        const chunks = chunksOf(far, track)
        expect(chunks).toEqual([...chunks].sort((a, b) => a - b))
        expect(chunks.length).toBeLessThan(chunks.at(-1) ?? 0)
      }
      expect(await rig.toldInAll(sid, call)).toEqual([
        'stream-started',
        'stream-error',
        'stream-stopped',
      ])
    },
    TEST_MS,
  )

  it(
    'sends what means nothing: warnings, and the stream goes on',
    async () => {
      const { sid, call } = await connect(server.url)
      const far = await server.started()
      far.socket.send('no JSON')
      far.socket.send(Buffer.from([1, 2, 3]))
      far.socket.send('{"event":"sing"}')
      far.socket.send('{"event":"media","media":{"payload":"%%%"}}')
      far.socket.send('{"event":"clear","streamSid":"MZ00000000000000000000000000000000"}')
      far.media(muLawTone(900, 1_000))
      await rig.hears(900)
      await rig.logged(sid, '31950')
      await rig.logged(sid, '31951')
      expect(await rig.toldInAll(sid, call)).toEqual(['stream-started', 'stream-stopped'])
    },
    TEST_MS,
  )

  it(
    'sends more than ten minutes of audio ahead: what is too much is thrown away, and clear works',
    async () => {
      const { sid, call } = await connect(server.url)
      const far = await server.started()
      const half = muLawTone(700, 30_000)
      for (let i = 0; i < 21; i += 1) far.media(half)
      far.mark('after all')
      await rig.logged(sid, '31931')
      await rig.hears(700)
      far.clear()
      await waitUntil('the mark', () => far.marks.length === 1, LIMIT_MS)
      await waitUntil('silence', () => rig.peer.rtp.isQuiet(), LIMIT_MS)
      far.media(muLawTone(900, 1_000))
      await rig.hears(900)
      expect(await rig.toldInAll(sid, call)).toEqual(['stream-started', 'stream-stopped'])
    },
    TEST_MS,
  )

  it(
    'speaks into a one-way stream: nobody hears it, and the log says so',
    async () => {
      const { sid, call } = await rig.run(
        `<Start><Stream ${rig.attributes(server.url)}/></Start><Pause length="60"/>`,
      )
      const far = await server.started()
      rig.peer.rtp.speak(500)
      far.media(muLawTone(900, 1_000))
      far.mark('never')
      await rig.logged(sid, '31951')
      const isCaller = () => toneShare(linear(far.audio()).subarray(-1_600), 500) > CLEAR
      await waitUntil('the caller', isCaller, LIMIT_MS)
      expect(far.marks).toEqual([])
      expect(rig.peer.rtp.isQuiet()).toBe(true)
      expect(await rig.toldInAll(sid, call)).toEqual(['stream-started', 'stream-stopped'])
    },
    TEST_MS,
  )
})

describe('TLS', () => {
  it(
    'carries a stream when its certificate is trusted',
    async () => {
      await using secure = await startStreamServer(tlsFixture('loopback'))
      const { sid, call } = await connect(secure.url)
      const far = await secure.started()
      rig.peer.rtp.speak(500)
      const isCaller = () => toneShare(linear(far.audio()).subarray(-1_600), 500) > CLEAR
      await waitUntil('the caller', isCaller, LIMIT_MS)
      far.media(muLawTone(900, 1_000))
      await rig.hears(900)
      expect(await rig.toldInAll(sid, call)).toEqual(['stream-started', 'stream-stopped'])
    },
    TEST_MS,
  )

  it(
    'with a certificate that nobody signed is refused [E39]',
    async () => {
      await using secure = await startStreamServer(tlsFixture('good'))
      const { sid, call } = await connect(secure.url)
      await rig.hears(440)
      expect(await rig.toldInAll(sid, call)).toEqual(['stream-error'])
      expect(rig.told(sid)[0]?.['StreamError']).toContain('31910')
    },
    TEST_MS,
  )

  it(
    'is a must where private addresses are not allowed, and they are not reached with it either',
    async () => {
      await using open = await openStreamRig({ HTTP_HOST: '0.0.0.0', WEBHOOK_ALLOW_CIDRS: '' })
      const { sid } = await open.trunkline.createCall({
        To: '+15005550002', // a lab phone: hosts here are not called either
        From: '+15551112222',
        Markup: '<Response><Pause length="60"/></Response>',
      })
      const status = async () => (await open.trunkline.fetchCall(sid)).status
      await waitUntil('it talks', async () => (await status()) === 'in-progress', LIMIT_MS)
      const start = (url: string) =>
        open.trunkline.api('POST', `/Calls/${sid}/Streams.json`, { Url: url })
      expect(await start(server.url)).toMatchObject({ status: 400, body: { code: 31922 } })
      expect(await start(server.url.replace('ws:', 'wss:'))).toMatchObject({ status: 200 })
      await open.logged(sid, '31904')
      expect(server.streams).toEqual([])
      await open.trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
      await waitUntil('the end', async () => (await status()) === 'completed', LIMIT_MS)
    },
    TEST_MS,
  )
})
