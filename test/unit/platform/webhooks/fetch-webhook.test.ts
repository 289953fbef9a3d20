import { gzipSync } from 'node:zlib'
import twilio from 'twilio'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import { createOutbound, type Outbound } from '../../../../src/platform/http/outbound.js'
import { createLogger } from '../../../../src/platform/log.js'
import type { OverrideProblem } from '../../../../src/platform/webhooks/connection-overrides.js'
import { createCookieJar } from '../../../../src/platform/webhooks/cookie-jar.js'
import type { AttemptReport } from '../../../../src/platform/webhooks/fetch-webhook.js'
import {
  createWebhooks,
  type WebhookRequest,
  type Webhooks,
} from '../../../../src/platform/webhooks/fetch-webhook.js'
import { WebhookError } from '../../../../src/platform/webhooks/webhook-error.js'
import { HttpSink, type SinkRequest } from '../../../support/http/http-sink.js'

const TOKEN = '0123456789abcdef0123456789abcdef'
const soon = (): AbortSignal => AbortSignal.timeout(15_000)

describe('fetching a webhook', () => {
  let sink: HttpSink
  let outbound: Outbound
  let webhooks: Webhooks
  let attempts: AttemptReport[]

  beforeEach(async () => {
    sink = await HttpSink.start()
    outbound = createOutbound({
      policy: { mode: 'allow-private', allow: [] },
      clock: systemClock,
      log: createLogger('silent'),
      resolve: () => Promise.resolve(['127.0.0.1']),
    })
    webhooks = createWebhooks({ outbound, clock: systemClock, version: '1.2.3' })
    attempts = []
  })
  afterEach(async () => {
    await outbound[Symbol.asyncDispose]()
    await sink[Symbol.asyncDispose]()
  })

  const ask = (path: string, more: Partial<WebhookRequest> = {}) =>
    webhooks.fetch(
      {
        method: 'POST',
        url: path.startsWith('http') ? path : sink.url + path,
        params: [['CallSid', 'CA1']],
        accountSid: 'AC1',
        signing: { authToken: TOKEN },
        onAttempt: (attempt) => attempts.push(attempt),
        ...more,
      },
      soon(),
    )
  const failureOf = async (work: Promise<unknown>): Promise<WebhookError> => {
    const outcome: unknown = await work.catch((error: unknown) => error)
    if (!(outcome instanceof WebhookError)) throw new Error('did not fail', { cause: outcome })
    return outcome
  }
  const isSigned = (request: SinkRequest): boolean => {
    const params: Record<string, string | string[]> = {}
    if (request.method === 'POST') {
      for (const [name, value] of request.params) {
        const known = params[name]
        params[name] = known === undefined ? value : [known, value].flat()
      }
    }
    const signature = String(request.headers['x-compat-signature'])
    const seen = `http://${String(request.headers.host)}${request.target}`
    return twilio.validateRequest(TOKEN, signature, seen, params)
  }

  it('posts a form, signed, as the convention has it', async () => {
    sink.answer({ headers: { 'content-type': 'text/xml; charset=utf-8' }, body: '<Response/>' })
    const params = [
      ['To', '+1 500&x=ü😀'],
      ['A', ''],
      ['A', '2'],
    ] as const
    const response = await ask('/voice?x=1', { params })
    const request = await sink.next()
    expect(request.method).toBe('POST')
    expect(request.target).toBe('/voice?x=1')
    expect(request.params).toEqual(params)
    expect(request.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      'user-agent': 'Trunkline/1.2.3',
      accept: '*/*',
    })
    expect(request.headers['i-compat-idempotency-token']).toMatch(/^[0-9a-f-]{36}$/)
    expect(request.headers['i-twilio-idempotency-token']).toBe(
      request.headers['i-compat-idempotency-token'],
    )
    expect(isSigned(request)).toBe(true)
    expect(response).toEqual({
      status: 200,
      contentType: 'text/xml; charset=utf-8',
      body: Buffer.from('<Response/>'),
      url: `${sink.url}/voice?x=1`,
    })
  })

  it.each([
    ['/voice', '/voice'],
    ['/voice?', '/voice?'],
    ['/voice?x=1#rc=0', '/voice?x=1'],
  ])('names the URL of a GET without the parameters that it sent: %s', async (path, named) => {
    sink.answer({ body: '<Response/>' })
    expect((await ask(path, { method: 'GET' })).url).toBe(sink.url + named)
    sink.answer({ status: 500 })
    expect((await failureOf(ask(path, { method: 'GET' }))).url).toBe(sink.url + named)
  })

  it('names the URL of a GET that was not answered without its parameters', async () => {
    sink.answer({ hang: 'headers' })
    const failure = await failureOf(ask('/voice?x=1#rt=100', { method: 'GET' }))
    expect(failure.url).toBe(`${sink.url}/voice?x=1`)
  })

  it('names the URL of a redirect without the parameters that it passed on', async () => {
    sink.answer({ status: 301, headers: { location: '/voice/?x=1&CallSid=CA1' } })
    sink.answer({ body: '<Response/>' })
    expect((await ask('/voice?x=1', { method: 'GET' })).url).toBe(`${sink.url}/voice/?x=1`)
  })

  it.each([
    ['/voice', '/voice?CallSid=CA1&B=a+b'],
    ['/voice?', '/voice?CallSid=CA1&B=a+b'],
    ['/voice?x=1', '/voice?x=1&CallSid=CA1&B=a+b'],
    ["/voice?x='1'#rc=0", '/voice?x=%271%27&CallSid=CA1&B=a+b'],
  ])('puts the parameters of a GET into the query of %s', async (path, target) => {
    const params = [
      ['CallSid', 'CA1'],
      ['B', 'a b'],
    ] as const
    await ask(path, { method: 'GET', params })
    const request = await sink.next()
    expect(request).toMatchObject({ method: 'GET', target })
    expect(request.body).toHaveLength(0)
    expect(request.headers['content-type']).toBeUndefined()
    expect(isSigned(request)).toBe(true)
  })

  it.each([
    '/',
    '',
    '/?',
    '/a?b',
    "/it's",
    '/ü?q=ü',
    '/a%2Fb?c=%2f',
    '//x',
    '/a/../b',
  ])('signs %j so that its receiver can check it', async (path) => {
    await ask(path)
    await ask(path, { method: 'GET' })
    expect(sink.requests.map(isSigned)).toEqual([true, true])
  })

  it('signs each hop of a redirect anew', async () => {
    sink.answer(
      { status: 307, headers: { location: '/b?c=d' } },
      { status: 302, headers: { location: '/e' } },
    )
    await ask('/a')
    expect(sink.requests.map((r) => `${r.method} ${r.target}`)).toEqual([
      'POST /a',
      'POST /b?c=d',
      'GET /e',
    ])
    expect(sink.requests.map(isSigned)).toEqual([true, true, true])
  })

  it('gives the signature under a second name when the account wants one', async () => {
    await ask('/', { signing: { authToken: TOKEN, secondHeader: 'X-Other-Signature' } })
    const { headers } = await sink.next()
    expect(headers['x-other-signature']).toBe(headers['x-compat-signature'])
    expect(headers['x-compat-signature']).toBeDefined()
  })

  it('answers a challenge with the credentials of the URL, which it neither signs nor reports', async () => {
    sink.answer({ status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } })
    await ask(`http://user:pass@127.0.0.1:${sink.port}/a`)
    expect(sink.requests.map(isSigned)).toEqual([true, true])
    expect(sink.requests.map((r) => r.headers.authorization !== undefined)).toEqual([false, true])
    expect(JSON.stringify(attempts)).not.toContain('pass')
  })

  it('keeps the cookies of a call, redirects included', async () => {
    const cookieJar = createCookieJar(() => systemClock.now())
    sink.answer({
      status: 302,
      headers: { location: '/b', 'set-cookie': ['s=1; HttpOnly', 't=2; Path=/b'] },
    })
    await ask('/a', { cookieJar })
    await ask('/c', { cookieJar })
    expect(sink.requests.map((r) => r.headers.cookie)).toEqual([undefined, 't=2; s=1', 's=1'])
  })

  describe('failures', () => {
    it.each([
      400, 401, 403, 404, 410, 429, 500, 502, 503,
    ])('a status of %i is one', async (status) => {
      sink.answer({ status, body: 'no' })
      const failure = await failureOf(ask('/'))
      expect(failure).toMatchObject({ code: 11200, httpStatus: status, url: `${sink.url}/` })
      expect(failure.isRetryable).toBe(status >= 500 || status === 429)
      expect(sink.requests).toHaveLength(1)
      expect(attempts).toMatchObject([{ status, responseBody: 'no', error: { code: 11200 } }])
    })

    it('more than 64 kB is one, 64 kB is not', async () => {
      sink.answer({ body: 'x'.repeat(65_536) }, { body: 'x'.repeat(65_537) })
      expect((await ask('/')).body).toHaveLength(65_536)
      expect((await failureOf(ask('/'))).code).toBe(11750)
    })

    it('a long sound is none: it is played by its URL', async () => {
      sink.answer({ headers: { 'content-type': 'audio/mpeg' }, body: 'x'.repeat(1_000_000) })
      expect(await ask('/')).toMatchObject({ status: 200, contentType: 'audio/mpeg' })
    })

    it('an eleventh redirect is one, ten are not', async () => {
      sink.script(({ target }) => {
        const left = Number(target.slice(1))
        return left === 0 ? {} : { status: 302, headers: { location: `/${left - 1}` } }
      })
      expect((await ask('/10')).url).toBe(`${sink.url}/0`)
      expect((await failureOf(ask('/11'))).code).toBe(11215)
    })

    it.each([
      ['nonsense', 11100],
      ['ftp://a.test/', 11100],
      ['http://169.254.169.254/latest', 11210],
    ])('%s is one, at once', async (url, code) => {
      const strict = createOutbound({
        policy: { mode: 'public-only', allow: [] },
        clock: systemClock,
        log: createLogger('silent'),
      })
      await using _closed = strict
      const careful = createWebhooks({ outbound: strict, clock: systemClock, version: '1' })
      const request = {
        method: 'POST',
        url,
        params: [],
        accountSid: 'AC1',
        signing: { authToken: 't' },
      } as const
      const onAttempt = (attempt: AttemptReport) => attempts.push(attempt)
      const failure = await failureOf(careful.fetch({ ...request, onAttempt }, soon()))
      expect(failure).toMatchObject({ code, isRetryable: false })
      expect(attempts).toHaveLength(1)
    })

    it('the total time spans the attempts', async () => {
      sink.script(() => ({ hang: 'headers' }))
      const failure = await failureOf(ask('/#tt=2000&rt=500&rc=5&rp=rt'))
      expect([11200, 11203]).toContain(failure.code)
      expect(attempts.length).toBeGreaterThanOrEqual(2)
      expect(attempts.length).toBeLessThan(6)
    })

    it('giving up is told apart', async () => {
      sink.script(() => ({ hang: 'headers' }))
      const controller = new AbortController()
      const request = { method: 'GET', url: sink.url, params: [], accountSid: 'A' } as const
      const work = webhooks.fetch({ ...request, signing: { authToken: 't' } }, controller.signal)
      await sink.next()
      controller.abort()
      expect(await failureOf(work)).toMatchObject({ isAborted: true, isRetryable: false })
    })
  })

  describe('retries [D31]', () => {
    it('once when no connection could be made, with the same token', async () => {
      // A port that was free a moment ago may be another test's by now.
      const failure = await failureOf(ask('http://127.0.0.1:1/'))
      expect(failure.code).toBe(11202)
      expect(attempts.map((a) => a.error?.code)).toEqual([11202, 11202])
    })

    it.each([
      ['', { status: 500 }, 1],
      ['', { drop: true }, 1],
      ['#rp=5xx', { status: 500 }, 2],
      ['#rp=5xx', { status: 404 }, 1],
      ['#rc=2&rp=5xx', { status: 503 }, 3],
      ['#rc=0&rp=5xx', { status: 503 }, 1],
      ['#rc=3&rp=4xx', { status: 404 }, 4],
      ['#rc=2&rp=rt', { drop: true }, 3],
      ['#rc=2&rp=rt&rt=100', { hang: 'headers' }, 3],
      ['#rc=1&rp=all', { status: 418 }, 2],
      ['#rc=1&rp=rt', { status: 500 }, 1],
    ] as const)('%j against %j makes %i attempts', async (fragment, answer, count) => {
      sink.script(() => answer)
      await failureOf(ask(`/${fragment}`))
      expect(attempts).toHaveLength(count)
      // The server may read the last one only after its client has given up.
      await sink.until(() => sink.requests.length >= count)
      expect(sink.requests).toHaveLength(count)
      const tokens = new Set(sink.requests.map((r) => r.headers['i-compat-idempotency-token']))
      expect(tokens.size).toBe(1)
      expect(sink.requests.every((r) => r.target === '/')).toBe(true)
    })

    it('a request that is repeated on a new connection is two attempts', async () => {
      await ask('/')
      attempts.length = 0
      sink.answer({ drop: true })
      await ask('/', { idempotencyToken: 'mine' })
      expect(attempts.map((a) => [a.status, a.error?.code])).toEqual([
        [undefined, 11205],
        [200, undefined],
      ])
      expect(sink.requests.slice(1).map((r) => r.headers['i-twilio-idempotency-token'])).toEqual([
        'mine',
        'mine',
      ])
    })

    it('a later success is a success', async () => {
      sink.answer({ status: 503 }, { status: 503 })
      const response = await ask('/#rc=2&rp=5xx', { idempotencyToken: 'mine' })
      expect(response.status).toBe(200)
      expect(attempts.map((a) => a.status)).toEqual([503, 503, 200])
      expect(sink.requests[2]?.headers['i-compat-idempotency-token']).toBe('mine')
    })

    it('bad overrides are told and their defaults used', async () => {
      const problems: OverrideProblem[] = []
      sink.script(() => ({ status: 500 }))
      await failureOf(
        ask('/#rc=9&rp=5xx', { onOverrideProblem: (problem) => problems.push(problem) }),
      )
      expect(problems).toEqual([{ code: 11242, name: 'rc', value: '9' }])
      expect(sink.requests).toHaveLength(2)
    })
  })

  it('reports each attempt without its secrets and with a capped body', async () => {
    sink.answer({ body: 'ü'.repeat(20_000) })
    await ask(`http://user:secret@127.0.0.1:${sink.port}/a?b=c#rc=0`, {
      params: [
        ['CallSid', 'CA1'],
        ['CallToken', 'hidden'],
        ['SipAuthPassword', 'hidden'],
      ],
    })
    const [report] = attempts
    expect(report).toMatchObject({
      url: `${sink.url}/a?b=c`,
      method: 'POST',
      status: 200,
      error: undefined,
      params: [
        ['CallSid', 'CA1'],
        ['CallToken', '***'],
        ['SipAuthPassword', '***'],
      ],
    })
    expect(report?.responseBody).toHaveLength(4_097)
    expect(report?.durationMs).toBeGreaterThanOrEqual(0)
  })

  it('reads a document that the application compresses, and shows it in the report', async () => {
    const headers = { 'content-type': 'text/xml', 'content-encoding': 'gzip' }
    sink.answer({ headers, body: gzipSync('<Response/>') })
    expect((await ask('/')).body.toString()).toBe('<Response/>')
    expect(attempts[0]).toMatchObject({ status: 200, responseBody: '<Response/>' })
  })

  describe('a chunked body that is empty', () => {
    const raw =
      'HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'

    it('is no document [11770]', async () => {
      sink.answer({ raw })
      const failure = await failureOf(ask('/#rc=2&rp=4xx'))
      expect(failure).toMatchObject({ code: 11770, httpStatus: 200 })
      expect(attempts).toHaveLength(1)
      expect(attempts[0]).toMatchObject({ status: 200, error: { code: 11770 } })
    })

    it('is as good as any to a notification, as is an empty body of a known length to all', async () => {
      sink.answer({ raw }, { headers: { 'content-length': '0' } })
      expect((await ask('/', { isNotification: true })).status).toBe(200)
      expect((await ask('/')).status).toBe(200)
    })
  })

  describe('a document that the server has not changed', () => {
    const XML = { 'content-type': 'text/xml' }
    const get = (path = '/d', more: Partial<WebhookRequest> = {}) =>
      ask(path, { method: 'GET', ...more })

    it.each([
      ['etag', 'if-none-match', '"v1"'],
      ['last-modified', 'if-modified-since', 'Fri, 20 Aug 2010 01:13:42 GMT'],
    ] as const)('is not sent again, by its %s', async (header, condition, value) => {
      sink.answer({ headers: { ...XML, [header]: value }, body: '<Response/>' })
      sink.answer({ status: 304 }, { status: 304 })
      await get()
      for (const _ of [1, 2]) {
        const again = await get()
        expect(again.contentType).toBe('text/xml')
        expect(again.body.toString()).toBe('<Response/>')
      }
      expect(sink.requests.map((r) => r.headers[condition])).toEqual([undefined, value, value])
      expect(attempts.map((a) => a.status)).toEqual([200, 304, 304])
      expect(attempts[2]?.responseBody).toBe('<Response/>')
    })

    it('is taken anew when the server has changed it', async () => {
      sink.answer({ headers: { ...XML, etag: '"v1"' }, body: '<Response/>' })
      sink.answer({ headers: { ...XML, etag: '"v2"' }, body: '<Response><Hangup/></Response>' })
      sink.answer({ status: 304 })
      await get()
      expect((await get()).body.toString()).toBe('<Response><Hangup/></Response>')
      expect((await get()).body.toString()).toBe('<Response><Hangup/></Response>')
      expect(sink.requests[2]?.headers['if-none-match']).toBe('"v2"')
    })

    it('is found behind a redirect too', async () => {
      sink.script(({ target, headers }) => {
        if (target.startsWith('/from')) return { status: 302, headers: { location: '/to' } }
        if (headers['if-none-match'] === '"v1"') return { status: 304 }
        return { headers: { ...XML, etag: '"v1"' }, body: '<Response/>' }
      })
      await get('/from')
      expect((await get('/from')).body.toString()).toBe('<Response/>')
      expect(sink.requests.map((r) => r.headers['if-none-match'])).toEqual([
        ...[undefined, undefined, undefined, '"v1"'],
      ])
    })

    it.each([
      ['no-store', { 'cache-control': 'private, No-Store' }, {}],
      ['a cookie set', { 'set-cookie': 'a=b' }, {}],
      ['Vary', { vary: 'Cookie' }, {}],
      ['audio', { 'content-type': 'audio/wav' }, {}],
      ['an error', {}, { status: 500 }],
    ] as const)('is not kept: %s', async (_why, headers, answer) => {
      sink.script(() => ({ headers: { ...XML, etag: '"v1"', ...headers }, body: 'x', ...answer }))
      await get().catch(() => undefined) // of the error
      await get().catch(() => undefined)
      expect(sink.requests.map((r) => r.headers['if-none-match'])).toEqual([undefined, undefined])
    })

    it.each([
      ['a POST', { method: 'POST' }],
      ['another account', { accountSid: 'AC2' }],
      ['other parameters', { params: [['CallSid', 'CA2']] }],
      ['a notification', { isNotification: true }],
    ] as const)('is not asked about: %s', async (_what, more) => {
      sink.script(() => ({ headers: { ...XML, etag: '"v1"' }, body: 'x' }))
      await get()
      await get('/d', more)
      expect(sink.requests[1]?.headers['if-none-match']).toBeUndefined()
    })

    it('is neither kept nor asked about while a cookie goes out', async () => {
      sink.script(() => ({ headers: { ...XML, etag: '"v1"' }, body: 'x' }))
      const cookieJar = createCookieJar(() => 0)
      cookieJar.store(new URL(sink.url), ['who=me'])
      await get('/d', { cookieJar })
      await get()
      await get('/d', { cookieJar })
      expect(sink.requests.map((r) => r.headers['if-none-match'])).toEqual([
        ...[undefined, undefined, undefined],
      ])
    })
  })
})
