import type { Duplex } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import { verifyWebhook } from '../../src/platform/webhooks/signature.js'
import { expectNothingLeft } from '../support/nothing-left.js'
import { decodeSample, encodeSample } from '../support/rtp-g711.js'
import { type PeerCall, SipPeer } from '../support/sip-peer.js'
import { type StreamServer, startStreamServer } from '../support/stream-server.js'
import { sine, toneShare } from '../support/tone.js'
import { type RunningTrunkline, startTrunkline } from '../support/trunkline.js'
import { startVoiceApp, type VoiceApp } from '../support/voice-app.js'
import { waitUntil } from '../support/wait-until.js'

const LIMIT_MS = 20_000
const TEST_MS = 60_000
const NUMBER = '+15551112222'
/** Share of the energy on one frequency: nearly all of it, but for what a busy machine delays. */
const CLEAR = 0.6

let trunkline: RunningTrunkline
let app: VoiceApp
let peer: SipPeer
let server: StreamServer

beforeAll(async () => {
  trunkline = await startTrunkline()
  app = await startVoiceApp()
  peer = await SipPeer.open()
})
afterAll(async () => {
  peer.close()
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})
beforeEach(async () => {
  peer.rtp.speak(0)
  peer.rtp.forget()
  server = await startStreamServer()
  return () => server[Symbol.asyncDispose]()
})

async function run(verbs: string): Promise<{ sid: string; call: PeerCall }> {
  const invited = peer.nextCall(LIMIT_MS)
  const { sid } = await trunkline.createCall({
    To: peer.uri('caller'),
    From: NUMBER,
    Markup: `<Response>${verbs}</Response>`,
    StatusCallback: `${app.url}/status`,
  })
  const call = await invited
  await call.answer()
  await waitUntil('it talks', async () => (await trunkline.fetchCall(sid)).status === 'in-progress')
  return { sid, call }
}

/** Attributes of a Stream whose callbacks come to `/stream-status`. */
const stream = (url = server.url) => `url="${url}" statusCallback="${app.url}/stream-status"`

function told(callSid: string): readonly Readonly<Record<string, string>>[] {
  return app.sink.requests
    .filter(({ target }) => target === '/stream-status')
    .map(({ params }): Record<string, string> => Object.fromEntries(params))
    .filter((params) => params['CallSid'] === callSid)
}

/** The stream's callbacks once the call is over and the last of them has come. */
async function toldInAll(sid: string, call: PeerCall) {
  call.bye()
  await app.completed(sid)
  await expectNothingLeft(trunkline)
  const last = () => told(sid).at(-1)?.['StreamEvent']
  await waitUntil('the last callback', () =>
    ['stream-stopped', 'stream-error'].includes(last() ?? ''),
  )
  return told(sid).map((params) => params['StreamEvent'])
}

function linear(muLaw: Buffer): Int16Array {
  return Int16Array.from(muLaw, (byte) => decodeSample('PCMU', byte))
}

function tone(hz: number, ms: number): Buffer {
  const codes = Array.from(sine(hz, 800), (sample) => encodeSample('PCMU', sample))
  // A tenth of a second fits frequencies of whole hundreds.
  return Buffer.from(Array.from({ length: 8 * ms }, (_, i) => codes[i % 800] ?? 0xff))
}

const hears = (hz: number) => waitUntil(`${hz} Hz are heard`, () => peer.rtp.hears(hz), LIMIT_MS)

describe('a two-way stream', () => {
  it(
    'carries a tone each way, tells digits, and gives the call back when it is closed',
    async () => {
      const { sid, call } = await run(
        `<Connect><Stream ${stream()} name="agent"><Parameter name="First" value="Jane"/></Stream></Connect>` +
          `<Play>${app.url}/tone.wav</Play>`,
      )
      const far = await server.started()
      expect(far.messages.slice(0, 2)).toEqual([
        { event: 'connected', protocol: 'Call', version: '1.0.0' },
        {
          event: 'start',
          sequenceNumber: '1',
          streamSid: far.streamSid,
          start: {
            accountSid: trunkline.account.sid,
            streamSid: far.streamSid,
            callSid: sid,
            tracks: ['inbound'],
            mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
            customParameters: { First: 'Jane' },
          },
        },
      ])
      expect(far.streamSid).toMatch(/^MZ[0-9a-f]{32}$/)
      const signature = String(far.request.headers['x-compat-signature'])
      expect(verifyWebhook(trunkline.account.secret, signature, server.url, [])).toBe(true)
      peer.rtp.speak(500)
      await waitUntil(
        'the caller',
        () => toneShare(linear(far.audio()).subarray(-1600), 500) > CLEAR,
        LIMIT_MS,
      )
      far.media(tone(900, 3_000))
      await hears(900)
      await peer.rtp.sendDigit('7')
      const digits = () => far.messages.filter(({ event }) => event === 'dtmf')
      await waitUntil('the digit', () => digits().length > 0, LIMIT_MS)
      expect(digits()[0]).toMatchObject({ dtmf: { track: 'inbound_track', digit: '7' } })
      expect(far.messages.slice(1).map((message) => message['sequenceNumber'])).toEqual(
        far.messages.slice(1).map((_, index) => String(index + 1)),
      )
      const media = far.messages.filter(({ event }) => event === 'media')
      expect(media[1]).toMatchObject({ media: { track: 'inbound', chunk: '2' } })
      far.clear()
      far.socket.close(1000)
      await hears(440)
      expect(await toldInAll(sid, call)).toEqual(['stream-started', 'stream-stopped'])
      expect(told(sid)[0]).toMatchObject({
        AccountSid: trunkline.account.sid,
        StreamSid: far.streamSid,
        StreamName: 'agent',
      })
      expect(told(sid)[0]?.['Timestamp']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    },
    TEST_MS,
  )

  it(
    'returns marks as the audio before them is heard',
    async () => {
      const { sid, call } = await run(`<Connect><Stream ${stream()}/></Connect>`)
      const far = await server.started()
      const chunk = tone(700, 400)
      const names = ['one', 'two', 'three', 'four', 'five']
      const sentAt = performance.now()
      for (const name of names) {
        far.media(chunk)
        far.mark(name)
      }
      await waitUntil('all marks', () => far.marks.length === names.length, LIMIT_MS)
      expect(far.marks.map(({ name }) => name)).toEqual(names)
      // Never before their audio; how late they are is the machine's.
      for (const [i, mark] of far.marks.entries())
        expect(mark.at - sentAt).toBeGreaterThan(400 * (i + 1) - 40)
      const now = far.marks.length
      far.mark('nothing before it')
      await waitUntil('the last mark', () => far.marks.length > now, LIMIT_MS)
      expect(await toldInAll(sid, call)).toEqual(['stream-started', 'stream-stopped'])
      expect(far.messages.at(-1)).toMatchObject({
        event: 'stop',
        stop: { accountSid: trunkline.account.sid, callSid: sid },
      })
    },
    TEST_MS,
  )

  it(
    'falls silent when cleared, returns every mark, and speaks again',
    async () => {
      const { sid, call } = await run(`<Connect><Stream ${stream()}/></Connect>`)
      const far = await server.started()
      far.media(tone(700, 10_000))
      for (const name of ['a', 'b', 'c']) far.mark(name)
      await hears(700)
      far.clear()
      await waitUntil('the marks', () => far.marks.length === 3, LIMIT_MS)
      expect(far.marks.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
      await waitUntil('silence', () => peer.rtp.isQuiet(), LIMIT_MS)
      far.media(tone(1_100, 1_000))
      far.mark('d')
      await hears(1_100)
      await waitUntil('the last mark', () => far.marks.length === 4, LIMIT_MS)
      expect(await toldInAll(sid, call)).toEqual(['stream-started', 'stream-stopped'])
    },
    TEST_MS,
  )
})

describe('a one-way stream', () => {
  it(
    'of Start runs beside the document until Stop, with both tracks apart',
    async () => {
      const { sid, call } = await run(
        `<Start><Stream ${stream()} name="both" track="both_tracks"/></Start>` +
          `<Play>${app.url}/tone.wav</Play><Stop><Stream name="both"/></Stop><Pause length="60"/>`,
      )
      const far = await server.started()
      peer.rtp.speak(500)
      await waitUntil(
        'both sides',
        () =>
          toneShare(linear(far.audio('inbound')).subarray(-1600), 500) > CLEAR &&
          toneShare(linear(far.audio('outbound')).subarray(-1600), 440) > CLEAR,
        LIMIT_MS,
      )
      await waitUntil('its end', () => far.closeCode === 1000, LIMIT_MS)
      expect((await trunkline.fetchCall(sid)).status).toBe('in-progress')
      expect(await toldInAll(sid, call)).toEqual(['stream-started', 'stream-stopped'])
    },
    TEST_MS,
  )

  it(
    'is started, shown and stopped by REST, one at a time, and refused on an ended call',
    async () => {
      const { sid, call } = await run('<Pause length="60"/>')
      const streams = `/Calls/${sid}/Streams`
      const start = (form: Record<string, string>) => trunkline.api('POST', `${streams}.json`, form)
      expect(await start({})).toMatchObject({ status: 400, body: { code: 21205 } })
      expect(await start({ Url: 'http://a.example' })).toMatchObject({
        status: 400,
        body: { code: 31922 },
      })
      expect(await start({ Url: 'nowhere' })).toMatchObject({ status: 400, body: { code: 31923 } })
      expect((await trunkline.api('GET', `${streams}.json`)).body).toMatchObject({
        streams: [],
        total: 0,
      })
      const form = {
        Url: server.url,
        Name: 'mine',
        Track: 'whatever',
        StatusCallback: `${app.url}/stream-status`,
        'Parameter1.Name': 'First',
        'Parameter1.Value': 'Jane',
      }
      const { status, body } = await start(form)
      expect(status).toBe(200)
      expect(body).toMatchObject({ call_sid: sid, name: 'mine', status: 'in-progress' })
      const far = await server.started()
      expect(far.messages[1]).toMatchObject({
        start: { tracks: ['inbound'], customParameters: { First: 'Jane' } },
      })
      expect(await start(form)).toMatchObject({ status: 400, body: { code: 31960 } })
      const one = `${streams}/${String(body['sid'])}.json`
      expect((await trunkline.api('GET', one)).body).toMatchObject({ status: 'in-progress' })
      const other = `/Calls/CA${'0'.repeat(32)}/Streams/${String(body['sid'])}.json`
      expect(await trunkline.api('GET', other)).toMatchObject({
        status: 404,
        body: { code: 20404 },
      })
      const stopped = await trunkline.api('POST', `${streams}/mine.json`, { Status: 'stopped' })
      expect(stopped).toMatchObject({ status: 200, body: { status: 'stopped', sid: body['sid'] } })
      expect(far.closeCode).toBe(1000)
      const list = await trunkline.api('GET', `${streams}.json`)
      expect(list.body).toMatchObject({ streams: [{ sid: body['sid'] }], total: 1 })
      expect(await toldInAll(sid, call)).toEqual(['stream-started', 'stream-stopped'])
      expect(await start(form)).toMatchObject({ status: 400, body: { code: 21220 } })
    },
    TEST_MS,
  )
})

describe('a far end that fails costs the call nothing and is told of once', () => {
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
    ['never answers', '31920', () => undefined],
  ])(
    '%s [E39]',
    async (_what, code, onUpgrade) => {
      server.onUpgrade(onUpgrade)
      const { sid, call } = await run(
        `<Connect><Stream ${stream()}/></Connect><Play>${app.url}/tone.wav</Play>`,
      )
      await hears(440)
      expect(await toldInAll(sid, call)).toEqual(['stream-error'])
      expect(told(sid)[0]?.['StreamError']).toContain(code)
    },
    TEST_MS,
  )

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
      'sends a megabyte at once',
      '31924',
      (socket: WebSocket) => {
        socket.send('x'.repeat(1_000_000))
      },
    ],
  ])(
    '%s [E39]',
    async (_what, code, fail) => {
      const { sid, call } = await run(
        `<Connect><Stream ${stream()}/></Connect><Play>${app.url}/tone.wav</Play>`,
      )
      fail((await server.started()).socket)
      await hears(440)
      expect(await toldInAll(sid, call)).toEqual(['stream-started', 'stream-error'])
      expect(told(sid)[1]?.['StreamError']).toContain(code)
    },
    TEST_MS,
  )

  it(
    'sends what means nothing: warnings, and the stream goes on',
    async () => {
      const { sid, call } = await run(`<Connect><Stream ${stream()}/></Connect>`)
      const far = await server.started()
      far.socket.send('no JSON')
      far.socket.send(Buffer.from([1, 2, 3]))
      far.socket.send('{"event":"sing"}')
      far.socket.send('{"event":"media","media":{"payload":"%%%"}}')
      far.media(tone(900, 1_000))
      await hears(900)
      const { body } = await trunkline.api('GET', `/Calls/${sid}/Events.json?PageSize=200`)
      const text = JSON.stringify(body)
      expect(text).toContain('31950')
      expect(text).toContain('31951')
      expect(await toldInAll(sid, call)).toEqual(['stream-started', 'stream-stopped'])
    },
    TEST_MS,
  )
})
