import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../src/platform/webhooks/signature.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import type { PeerCall } from '../support/sip/sip-peer.js'
import { toneShare } from '../support/sound/tone.js'
import { linear, muLawTone, openStreamRig, type StreamRig } from '../support/streams/stream-rig.js'
import { type StreamServer, startStreamServer } from '../support/streams/stream-server.js'
import { waitUntil } from '../support/time/wait-until.js'

const LIMIT_MS = 20_000
const TEST_MS = 60_000
/** Share of the energy on one frequency: nearly all of it, but for what a busy machine delays. */
const CLEAR = 0.6
/** A sample of the far end's tone counts as loud from this amplitude on; its peak is 8,000. */
const LOUD = 500
/** The loud samples in a millisecond of that tone: 8 samples, less the share near its zeros. */
const LOUD_A_MS = 8 * (1 - (2 / Math.PI) * Math.asin(LOUD / 8_000))

let rig: StreamRig
let server: StreamServer

beforeAll(async () => {
  rig = await openStreamRig()
})
afterAll(() => rig[Symbol.asyncDispose]())
beforeEach(async () => {
  rig.peer.rtp.speak(0)
  rig.peer.rtp.forget()
  server = await startStreamServer()
  return () => server[Symbol.asyncDispose]()
})

const stream = () => rig.attributes(server.url)

describe('a two-way stream', () => {
  it(
    'carries a tone each way, tells digits, and gives the call back when it is closed',
    async () => {
      const { sid, call } = await rig.run(
        `<Connect><Stream ${stream()} name="agent"><Parameter name="First" value="Jane"/></Stream></Connect>` +
          `<Play>${rig.app.url}/tone.wav</Play>`,
      )
      const far = await server.started()
      expect(far.messages.slice(0, 2)).toEqual([
        { event: 'connected', protocol: 'Call', version: '1.0.0' },
        {
          event: 'start',
          sequenceNumber: '1',
          streamSid: far.streamSid,
          start: {
            accountSid: rig.trunkline.account.sid,
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
      expect(verifyWebhook(rig.trunkline.account.secret, signature, server.url, [])).toBe(true)
      rig.peer.rtp.speak(500)
      await waitUntil(
        'the caller',
        () => toneShare(linear(far.audio()).subarray(-1600), 500) > CLEAR,
        LIMIT_MS,
      )
      far.media(muLawTone(900, 3_000))
      await rig.hears(900)
      await rig.peer.rtp.sendDigit('7')
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
      await rig.hears(440)
      expect(await rig.toldInAll(sid, call)).toEqual(['stream-started', 'stream-stopped'])
      expect(rig.told(sid)[0]).toMatchObject({
        AccountSid: rig.trunkline.account.sid,
        StreamSid: far.streamSid,
        StreamName: 'agent',
      })
      expect(rig.told(sid)[0]?.['Timestamp']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    },
    TEST_MS,
  )

  it(
    'returns marks as the audio before them is heard',
    async () => {
      const { sid, call } = await rig.run(`<Connect><Stream ${stream()}/></Connect>`)
      const far = await server.started()
      const chunk = muLawTone(700, 400)
      const names = ['one', 'two', 'three', 'four', 'five']
      rig.peer.rtp.forget()
      for (const name of names) {
        far.media(chunk)
        far.mark(name)
      }
      const heardMs = () =>
        rig.peer.rtp.heard().filter((sample) => Math.abs(sample) > LOUD).length / LOUD_A_MS
      for (const [i, name] of names.entries()) {
        await waitUntil(`the mark ${name}`, () => far.marks.length > i, LIMIT_MS)
        // Packets that left before the mark may wait to be read.
        await new Promise((resolve) => setImmediate(resolve))
        // Never before their audio; how late they are is the machine's.
        expect(heardMs()).toBeGreaterThan(400 * (i + 1) - 40)
      }
      expect(far.marks.map(({ name }) => name)).toEqual(names)
      const now = far.marks.length
      far.mark('nothing before it')
      await waitUntil('the last mark', () => far.marks.length > now, LIMIT_MS)
      expect(await rig.toldInAll(sid, call)).toEqual(['stream-started', 'stream-stopped'])
      expect(far.messages.at(-1)).toMatchObject({
        event: 'stop',
        stop: { accountSid: rig.trunkline.account.sid, callSid: sid },
      })
    },
    TEST_MS,
  )

  it(
    'falls silent when cleared, returns every mark, and speaks again',
    async () => {
      const { sid, call } = await rig.run(`<Connect><Stream ${stream()}/></Connect>`)
      const far = await server.started()
      far.media(muLawTone(700, 10_000))
      for (const name of ['a', 'b', 'c']) far.mark(name)
      await rig.hears(700)
      far.clear()
      await waitUntil('the marks', () => far.marks.length === 3, LIMIT_MS)
      expect(far.marks.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
      await waitUntil('silence', () => rig.peer.rtp.isQuiet(), LIMIT_MS)
      far.media(muLawTone(1_100, 1_000))
      far.mark('d')
      await rig.hears(1_100)
      await waitUntil('the last mark', () => far.marks.length === 4, LIMIT_MS)
      expect(await rig.toldInAll(sid, call)).toEqual(['stream-started', 'stream-stopped'])
    },
    TEST_MS,
  )

  it.each<[string, (sid: string, call: PeerCall) => unknown]>([
    [
      'the caller hangs up',
      (_sid, call) => {
        call.bye()
      },
    ],
    [
      'it is ended by REST',
      (sid) => rig.trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'completed' }),
    ],
  ])(
    'has the action of its Connect asked once, of a completed call, when %s',
    async (_title, end) => {
      const { app, trunkline } = rig
      app.page('/after', `<Redirect>${app.url}/never</Redirect>`)
      const { sid, call } = await rig.run(
        `<Connect action="${app.url}/after"><Stream ${stream()}/></Connect>` +
          `<Redirect>${app.url}/never</Redirect>`,
      )
      await server.started()
      await end(sid, call)
      expect(await app.asked('/after', sid)).toMatchObject({ CallStatus: 'completed' })
      expect(await app.completed(sid)).toHaveLength(1)
      await expectNothingLeft(trunkline)
      const told = () => rig.told(sid).map((params) => params['StreamEvent'])
      await waitUntil('the last callback', () => told().includes('stream-stopped'), LIMIT_MS)
      const asked = (path: string) =>
        app.sink.requests.filter(
          ({ target, params }) =>
            target === path && params.some(([key, value]) => key === 'CallSid' && value === sid),
        )
      expect(asked('/after')).toHaveLength(1)
      expect(asked('/never')).toEqual([])
    },
    TEST_MS,
  )
})

describe('a one-way stream', () => {
  it(
    'of Start runs beside the document until Stop, with both tracks apart',
    async () => {
      const { sid, call } = await rig.run(
        `<Start><Stream ${stream()} name="both" track="both_tracks"/></Start>` +
          `<Play>${rig.app.url}/tone.wav</Play><Stop><Stream name="both"/></Stop><Pause length="60"/>`,
      )
      const far = await server.started()
      rig.peer.rtp.speak(500)
      await waitUntil(
        'both sides',
        () =>
          toneShare(linear(far.audio('inbound')).subarray(-1600), 500) > CLEAR &&
          toneShare(linear(far.audio('outbound')).subarray(-1600), 440) > CLEAR,
        LIMIT_MS,
      )
      await waitUntil('its end', () => far.closeCode === 1000, LIMIT_MS)
      expect((await rig.trunkline.fetchCall(sid)).status).toBe('in-progress')
      expect(await rig.toldInAll(sid, call)).toEqual(['stream-started', 'stream-stopped'])
    },
    TEST_MS,
  )

  it(
    'may be followed by another one right after its Stop, also by one of the same name',
    async () => {
      const start = `<Start><Stream ${stream()} name="mine"/></Start>`
      const { sid, call } = await rig.run(
        `${start}<Play>${rig.app.url}/tone.wav</Play><Stop><Stream name="mine"/></Stop>` +
          `${start}<Pause length="60"/>`,
      )
      const first = await server.started()
      const second = await server.started(1)
      expect(first.closeCode).toBe(1000)
      expect(second.streamSid).not.toBe(first.streamSid)
      await waitUntil('its audio', () => second.audio().length > 0, LIMIT_MS)
      expect(await rig.toldInAll(sid, call)).toEqual([
        ...['stream-started', 'stream-stopped'],
        ...['stream-started', 'stream-stopped'],
      ])
    },
    TEST_MS,
  )

  it(
    'is started, shown and stopped by REST, one at a time, and refused on an ended call',
    async () => {
      const { sid, call } = await rig.run('<Pause length="60"/>')
      const streams = `/Calls/${sid}/Streams`
      const start = (form: Record<string, string>) =>
        rig.trunkline.api('POST', `${streams}.json`, form)
      expect(await start({})).toMatchObject({ status: 400, body: { code: 21205 } })
      expect(await start({ Url: 'http://a.example' })).toMatchObject({
        status: 400,
        body: { code: 31922 },
      })
      expect(await start({ Url: 'nowhere' })).toMatchObject({ status: 400, body: { code: 31923 } })
      expect((await rig.trunkline.api('GET', `${streams}.json`)).body).toMatchObject({
        streams: [],
        total: 0,
      })
      const form = {
        Url: server.url,
        Name: 'mine',
        Track: 'whatever',
        StatusCallback: `${rig.app.url}/stream-status`,
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
      expect((await rig.trunkline.api('GET', one)).body).toMatchObject({ status: 'in-progress' })
      const other = `/Calls/CA${'0'.repeat(32)}/Streams/${String(body['sid'])}.json`
      expect(await rig.trunkline.api('GET', other)).toMatchObject({
        status: 404,
        body: { code: 20404 },
      })
      const stopped = await rig.trunkline.api('POST', `${streams}/mine.json`, { Status: 'stopped' })
      expect(stopped).toMatchObject({ status: 200, body: { status: 'stopped', sid: body['sid'] } })
      expect(await rig.trunkline.api('POST', one, {})).toMatchObject({
        status: 200,
        body: { status: 'stopped' },
      })
      // The close frame and the answer to the request take different ways.
      await waitUntil('its close', () => far.closeCode === 1000, LIMIT_MS)
      const list = await rig.trunkline.api('GET', `${streams}.json`)
      expect(list.body).toMatchObject({ streams: [{ sid: body['sid'] }], total: 1 })
      expect(await rig.toldInAll(sid, call)).toEqual(['stream-started', 'stream-stopped'])
      expect(await start(form)).toMatchObject({ status: 400, body: { code: 21220 } })
    },
    TEST_MS,
  )
})
