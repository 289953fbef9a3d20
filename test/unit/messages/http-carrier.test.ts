import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createHttpCarrier } from '../../../src/messages/http-carrier/http-carrier.js'
import {
  messageLines,
  receiptLines,
  signatureOf,
} from '../../../src/messages/http-carrier/provider-signature.js'
import { messageProviderApi } from '../../../src/messages/provider-operations.js'
import { DescribedApp } from '../../../src/platform/api/described-app.js'
import { mountApi } from '../../../src/platform/api/mount-api.js'
import { systemClock } from '../../../src/platform/clock.js'
import { createOutbound } from '../../../src/platform/http/outbound.js'
import { createLogger } from '../../../src/platform/log.js'
import { testMedia } from '../../support/messages/media-web.js'
import { FROM, messagesFixture, START, TO } from '../../support/messages/messages-fixture.js'
import { submission } from '../../support/messages/smpp-fixture.js'
import { tempFolder } from '../../support/process/temp-folder.js'

const SECRET = 'a secret of the provider'
const log = createLogger('silent')

interface Asked {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: Readonly<Record<string, unknown>>
}

/** A provider that answers as the test says, on a port of its own. */
async function startProvider(answer: (response: ServerResponse, count: number) => void) {
  const asked: Asked[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    asked.push({
      path: request.url ?? '',
      authorization: request.headers.authorization,
      body: JSON.parse(Buffer.concat(chunks).toString()) as Asked['body'],
    })
    answer(response, asked.length)
  }
  const server = createServer((request, response) => void take(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  const policy = { mode: 'allow-private', allow: [] } as const
  const outbound = createOutbound({ policy, clock: systemClock, log })
  const folder = tempFolder()
  const { mediaStore } = testMedia(folder.path, systemClock)
  const at = { url: `http://127.0.0.1:${String(port)}/v1`, token: 'token' }
  const open = (timeoutMs?: number, shortCodes: 'taken' | 'refused' = 'refused') =>
    createHttpCarrier({
      outbound,
      provider: { ...at, shortCodes },
      mediaStore,
      ...(timeoutMs && { timeoutMs }),
    })
  return {
    asked,
    open,
    [Symbol.asyncDispose]: async () => {
      await outbound[Symbol.asyncDispose]()
      server.closeAllConnections()
      server.close()
      folder[Symbol.dispose]()
    },
  }
}

const { signal } = new AbortController()
const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

describe('a message that goes to an HTTP provider', () => {
  it('is posted whole, with links to its media, and taken by its id', async () => {
    await using provider = await startProvider((response) => json(response, 202, { id: 'p-1' }))
    const text = submission('é'.repeat(200))
    const media = {
      sid: `ME${'1'.repeat(32)}`,
      messageSid: text.sid,
      accountSid: `AC${'1'.repeat(32)}`,
      file: 'message-media/one',
      contentType: 'image/png',
      bytes: 16,
      createdAt: 0,
      updatedAt: 0,
    }
    const outcome = await provider
      .open()
      .submit({ ...text, subject: 'Cats', media: [media] }, signal)
    expect(outcome).toEqual({ type: 'accepted', ids: ['p-1'] })
    expect(provider.asked).toMatchObject([{ path: '/v1/messages', authorization: 'Bearer token' }])
    expect(provider.asked[0]?.body).toEqual({
      id: text.sid,
      from: FROM,
      to: TO,
      text: 'é'.repeat(200),
      encoding: 'GSM-7',
      segments: 2,
      subject: 'Cats',
      media: [
        {
          url: expect.stringContaining('/files/') as string,
          contentType: 'image/png',
          bytes: 16,
        },
      ],
    })
  })

  it.each<[string, (response: ServerResponse) => void, object]>([
    ['429', (response) => json(response, 429, {}), { type: 'busy' }],
    ['503', (response) => json(response, 503, {}), { type: 'busy' }],
    ['401', (response) => json(response, 401, {}), { type: 'busy' }],
    [
      'a redirect',
      (response) => response.writeHead(302, { location: '/' }).end(),
      { type: 'busy' },
    ],
    ['200 without an id', (response) => json(response, 200, { id: '' }), { type: 'busy' }],
    [
      '200 with an id of two lines',
      (response) => json(response, 200, { id: 'a\nb' }),
      { type: 'busy' },
    ],
    ['garbage', (response) => response.end('<html>'), { type: 'busy' }],
    ['null', (response) => json(response, 200, null), { type: 'busy' }],
    ['400', (response) => json(response, 400, {}), { type: 'refused', errorCode: 30008 }],
    [
      '422 with a reason',
      (response) => json(response, 422, { errorCode: 30005 }),
      { type: 'refused', errorCode: 30005 },
    ],
    [
      '422 with a number of no meaning',
      (response) => json(response, 422, { errorCode: 7 }),
      { type: 'refused', errorCode: 30008 },
    ],
    [
      'STOP to the provider',
      (response) => json(response, 409, { errorCode: 21610 }),
      { type: 'refused', errorCode: 21610 },
    ],
  ])('is settled by the answer %s', async (_title, answer, expected) => {
    await using provider = await startProvider(answer)
    expect(await provider.open().submit(submission(), signal)).toMatchObject(expected)
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['closes the connection', (response) => response.destroy()],
    [
      'closes it within the answer',
      (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{')
        response.destroy()
      },
    ],
    ['never answers', () => undefined],
    [
      'answers without an end',
      (response) => {
        response.writeHead(200).write('{"id": "')
      },
    ],
    ['answers more than anybody wants', (response) => response.end('a'.repeat(200_000))],
  ])('is tried again when the provider %s', async (_title, answer) => {
    await using provider = await startProvider(answer)
    await using fixture = await messagesFixture({ carriers: [provider.open(500)] })
    const { sid } = await fixture.send()
    await fixture.messages.settle()
    expect(await fixture.status(sid)).toBe('sending')
    fixture.turnTo(START + 5_000)
    await fixture.messages.settle()
    expect(provider.asked.length).toBeGreaterThan(1)
    expect(new Set(provider.asked.map(({ body }) => body['id']))).toEqual(new Set([sid]))
  })

  it('is sent once when an attempt brought no answer and the next one did', async () => {
    await using provider = await startProvider((response, count) =>
      count === 1 ? response.destroy() : json(response, 200, { id: 'p-1' }),
    )
    await using fixture = await messagesFixture({ carriers: [provider.open()] })
    const { sid } = await fixture.send()
    await fixture.messages.settle()
    fixture.turnTo(START + 5_000)
    await fixture.messages.settle()
    expect(await fixture.status(sid)).toBe('sent')
    await fixture.messages.receive({ carrier: 'http', id: 'p-1', state: 'DELIVRD' })
    expect(await fixture.status(sid)).toBe('delivered')
    expect(fixture.reported()).toEqual(['sent', 'delivered'])
  })
})

describe('a message to a short code', () => {
  const open = async (shortCodes: 'taken' | 'refused') => {
    const provider = await startProvider((response) => json(response, 202, { id: 'p-1' }))
    const fixture = await messagesFixture({ carriers: [provider.open(undefined, shortCodes)] })
    const dispose = async () => {
      await fixture[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
    }
    return { provider, fixture, [Symbol.asyncDispose]: dispose }
  }

  it('is posted at the rate of a text, to a provider that takes such', async () => {
    await using t = await open('taken')
    await t.fixture.charge(7_500)
    await t.fixture.pay(1_000)
    const { sid } = await t.fixture.send({ to: '72345', body: 'JOIN' })
    await t.fixture.messages.settle()
    expect(t.provider.asked).toMatchObject([{ body: { id: sid, to: '72345', text: 'JOIN' } }])
    const sent = await t.fixture.messages.fetch(t.fixture.account.sid, sid)
    expect(sent).toMatchObject({ status: 'sent', to: '72345', price: 75 })
  })

  it('is refused where no provider takes such, and by no other name', async () => {
    await using t = await open('refused')
    await expect(t.fixture.send({ to: '72345' })).rejects.toMatchObject({ number: 21211 })
    expect(t.provider.asked).toEqual([])
  })

  it('fails once its provider takes such no more', async () => {
    await using t = await messagesFixture()
    t.carrier.takesShortCodes = true
    const { sid } = await t.send({ to: '72345' })
    t.carrier.takesShortCodes = false
    await t.messages.settle()
    const failed = await t.messages.fetch(t.account.sid, sid)
    expect(failed).toMatchObject({ status: 'failed', errorCode: 30005 })
  })

  it('goes by the first provider that takes such, unless a route of the number says otherwise', async () => {
    await using t = await messagesFixture()
    t.other.takesShortCodes = true
    await t.send({ to: '72345', body: 'JOIN' })
    await t.messages.settle()
    expect([t.carrier.bodies, t.other.bodies]).toEqual([[], ['JOIN']])
    await t.messages.changeMessaging(t.account.sid, FROM, { routeOut: t.carrier.name })
    await expect(t.send({ to: '72345' })).rejects.toMatchObject({ number: 21211 })
  })
})

describe('what an HTTP provider tells', () => {
  const MESSAGE = { id: 'in-1', from: TO, to: FROM, text: 'Hello\nyou', subject: '', media: [] }

  async function setUp() {
    const fixture = await messagesFixture()
    const app = new DescribedApp()
    const { clock, messages } = fixture
    mountApi(app, messageProviderApi({ listener: messages, secret: SECRET, clock, log }))
    const post = async (
      path: string,
      body: object,
      lines: readonly string[],
      secret = SECRET,
      at = START,
    ) => {
      const signature = signatureOf(lines, Math.floor(at / 1_000), secret)
      const answer = await app.request(`/message-provider${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-message-signature': signature },
        body: JSON.stringify(body),
      })
      return answer.status
    }
    const inbound = async () => {
      const page = { limit: 10, offset: 0 }
      const { items } = await messages.list(fixture.account.sid, { to: FROM }, page)
      return items
    }
    return Object.assign(fixture, { app, post, inbound })
  }

  it('is a message, which is stored once', async () => {
    await using t = await setUp()
    for (let count = 0; count < 2; count += 1)
      expect(await t.post('/messages', MESSAGE, messageLines(MESSAGE))).toBe(204)
    expect(await t.inbound()).toMatchObject([
      { from: TO, body: 'Hello\nyou', direction: 'inbound' },
    ])
  })

  it.each(['22395', 'ACME Bank'])('is a message of the sender %s', async (from) => {
    await using t = await setUp()
    const message = { ...MESSAGE, from, text: 'STOP' }
    expect(await t.post('/messages', message, messageLines(message))).toBe(204)
    await t.messages.settle()
    // Nobody can be told at such a sender that he is unsubscribed.
    expect(await t.inbound()).toMatchObject([{ from, body: 'STOP', direction: 'inbound' }])
    const page = { limit: 10, offset: 0 }
    expect((await t.messages.list(t.account.sid, { to: from }, page)).items).toEqual([])
  })

  it('is a message with media, which are fetched', async () => {
    await using t = await setUp()
    const media = ['https://web.test/cat.png']
    t.web.files.set('https://web.test/cat.png', {})
    const message = { ...MESSAGE, text: '', subject: 'Cats', media }
    expect(await t.post('/messages', message, messageLines(message))).toBe(204)
    await t.messages.settle()
    const [stored] = await t.inbound()
    expect(stored).toMatchObject({ subject: 'Cats', numMedia: 1 })
    expect(await t.messages.mediaOf(t.account.sid, stored?.sid ?? '')).toHaveLength(1)
  })

  it('is a receipt, early, twice or late, of which the first final one counts', async () => {
    await using t = await setUp()
    t.carrier.name = 'http'
    const { sid } = await t.send()
    const tell = (status: string) => {
      const receipt = { id: `id-${sid}`, status }
      return t.post('/receipts', receipt, receiptLines(receipt))
    }
    expect(await tell('ENROUTE')).toBe(204)
    await t.messages.settle()
    for (const status of ['UNDELIV', 'UNDELIV', 'DELIVRD']) expect(await tell(status)).toBe(204)
    expect(await t.status(sid)).toBe('undelivered')
  })

  it.each<[string, Partial<typeof MESSAGE>, string, number]>([
    ['another secret', {}, 'another secret!!', START],
    ['a text that was not signed', { text: 'Bye' }, SECRET, START],
    ['a time long past', {}, SECRET, START - 301_000],
    ['a time to come', {}, SECRET, START + 301_000],
  ])('is refused with %s', async (_title, signed, secret, at) => {
    await using t = await setUp()
    const lines = messageLines({ ...MESSAGE, ...signed })
    expect(await t.post('/messages', MESSAGE, lines, secret, at)).toBe(401)
    expect(await t.inbound()).toEqual([])
  })

  it.each([
    ['from', { from: '12' }],
    ['from', { from: '!?' }],
    ['from', { from: 'ACME\nBank' }],
    ['to', { to: 'nobody' }],
    ['id', { id: '' }],
    ['id', { id: 'a\nb' }],
    ['media', { media: ['ftp://web.test/a'] }],
    ['text', { text: '\0' }],
  ])('is refused with a bad %s: %j', async (_field, change) => {
    await using t = await setUp()
    const message = { ...MESSAGE, ...change }
    expect(await t.post('/messages', message, messageLines(message))).toBe(400)
    expect(await t.inbound()).toEqual([])
  })

  it('is refused without a signature', async () => {
    await using t = await setUp()
    const answer = await t.app.request('/message-provider/messages', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(MESSAGE),
    })
    expect(answer.status).toBe(401)
  })
})
