import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import {
  createOutbound,
  type Outbound,
  type OutboundDeps,
} from '../../../../src/platform/http/outbound.js'
import { OutboundError } from '../../../../src/platform/http/outbound-error.js'
import type { OutboundRequest } from '../../../../src/platform/http/outbound-request.js'
import { createLogger } from '../../../../src/platform/log.js'
import { HttpSink } from '../../../support/http/http-sink.js'
import { tlsFixture } from '../../../support/http/tls-fixtures.js'

const never = new Promise<never>(() => undefined)
const soon = (): AbortSignal => AbortSignal.timeout(15_000)

function open(deps: Partial<OutboundDeps> = {}): Outbound {
  return createOutbound({
    policy: { mode: 'allow-private', allow: [] },
    clock: systemClock,
    log: createLogger('silent'),
    resolve: () => Promise.resolve(['127.0.0.1']),
    ...deps,
  })
}

async function failureOf(work: Promise<unknown>): Promise<OutboundError> {
  const outcome: unknown = await work.catch((error: unknown) => error)
  if (!(outcome instanceof OutboundError)) throw new Error('did not fail', { cause: outcome })
  return outcome
}

describe('outbound requests', () => {
  let sink: HttpSink
  let outbound: Outbound

  beforeEach(async () => {
    sink = await HttpSink.start()
    outbound = open()
  })
  afterEach(async () => {
    await outbound[Symbol.asyncDispose]()
    await sink[Symbol.asyncDispose]()
    expect(outbound.connections).toBe(0)
  })

  const get = (path: string, more: Partial<OutboundRequest> = {}) =>
    outbound.request({ method: 'GET', url: sink.url + path, ...more }, soon())
  const post = (path: string, body: string, more: Partial<OutboundRequest> = {}) =>
    outbound.request({ method: 'POST', url: sink.url + path, body, ...more }, soon())

  it('sends what was asked and returns what was answered', async () => {
    sink.answer({
      status: 404,
      headers: { 'content-type': 'text/plain', 'set-cookie': ['a=1', 'b=2'] },
      body: 'hällo',
    })
    const response = await post('/a/b?c=%27d', 'x=1', { headers: { 'content-type': 'text/x' } })
    const request = await sink.next()
    expect(request.method).toBe('POST')
    expect(request.target).toBe('/a/b?c=%27d')
    expect(request.body.toString()).toBe('x=1')
    expect(request.headers).toMatchObject({
      'content-type': 'text/x',
      'accept-encoding': 'identity',
      'content-length': '3',
      host: `127.0.0.1:${sink.port}`,
    })
    expect(response.status).toBe(404)
    expect(response.body.toString()).toBe('hällo')
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(response.url).toBe(`${sink.url}/a/b?c=%27d`)
  })

  it('never sends the fragment, nor shows it', async () => {
    const response = await get('/a#rc=2&secret')
    expect((await sink.next()).target).toBe('/a')
    expect(response.url).toBe(`${sink.url}/a`)
  })

  it('keeps the connection for the next request of the same tenant only', async () => {
    await get('/', { tenant: 'A' })
    await get('/', { tenant: 'A' })
    await get('/', { tenant: 'B' })
    expect(sink.requests.map((r) => r.connection)).toEqual([1, 1, 2])
  })

  it('opens a new connection when the server closed the kept one', async () => {
    await get('/')
    const before = outbound.connections
    sink.cut()
    const response = await post('/', 'x=1')
    expect(response.status).toBe(200)
    expect(before).toBe(1)
    expect(sink.requests.map((r) => r.connection)).toEqual([1, 2])
  })

  describe('when the kept connection dies under a request', () => {
    const onRepeat = (failures: OutboundError[]) => ({
      onRepeat: (failure: OutboundError) => failures.push(failure),
    })

    it.each<[string, Partial<OutboundRequest>]>([
      ['a GET', {}],
      ['a PUT', { method: 'PUT', body: 'x=1' }],
      ['a POST that the server knows again', { method: 'POST', body: 'x=1', isRepeatable: true }],
    ])('%s is sent once more, and the failure is reported', async (_title, request) => {
      const failures: OutboundError[] = []
      await get('/')
      sink.answer({ drop: true })
      const response = await get('/', { ...request, ...onRepeat(failures) })
      expect(response.status).toBe(200)
      expect(sink.requests.map((r) => r.connection)).toEqual([1, 1, 2])
      expect(failures.map(({ kind }) => kind)).toEqual(['connection-lost'])
    })

    it('a POST that must not come twice has a new connection, and is not repeated', async () => {
      await get('/')
      sink.answer({ drop: true })
      expect(await failureOf(post('/', 'x=1'))).toMatchObject({ kind: 'connection-lost' })
      expect(sink.requests.map((r) => r.connection)).toEqual([1, 2])
    })

    it.each([
      ['part of the status line', 'HTTP/1'],
      ['an interim response', 'HTTP/1.1 100 Continue\r\n\r\n'],
      ['part of the headers', 'HTTP/1.1 200 OK\r\nContent-Le'],
      ['part of the body', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'],
    ])('nothing is repeated once %s has come', async (_title, raw) => {
      for (const method of ['GET', 'POST'] as const) {
        await get('/')
        sink.answer({ raw })
        const failure = await failureOf(get('/', { method, isRepeatable: true }))
        expect(failure.kind).toBe('connection-lost')
      }
      expect(sink.requests).toHaveLength(4)
    })
  })

  it('does not repeat a request when a new connection dies under it', async () => {
    sink.answer({ drop: true })
    expect(await failureOf(post('/', 'x=1'))).toMatchObject({
      kind: 'connection-lost',
      code: 11205,
    })
    expect(sink.requests).toHaveLength(1)
  })

  describe('limits', () => {
    it.each([
      ['headers', { hang: 'headers' }],
      ['body', { hang: 'body', body: 'abcdef' }],
      ['trickle', { trickleMs: 5, body: 'x'.repeat(60_000) }],
    ] as const)('response time holds when the server hangs at %s', async (_at, answer) => {
      sink.answer(answer)
      const failure = await failureOf(get('/', { responseTimeoutMs: 60 }))
      expect(failure).toMatchObject({ kind: 'response-timeout', code: 11200, isRetryable: true })
    })

    it.each([
      ['headers', { hang: 'headers' }],
      ['body', { hang: 'body', body: 'abcdef' }],
      ['trickle', { trickleMs: 5, body: 'x'.repeat(60_000) }],
    ] as const)('total time holds when the server hangs at %s', async (_at, answer) => {
      sink.answer(answer)
      const failure = await failureOf(get('/', { totalTimeoutMs: 60 }))
      expect(failure).toMatchObject({ kind: 'total-timeout', code: 11203 })
    })

    it('of two that end together the total time is told of, however late their timers are', async () => {
      sink.script(() => ({ hang: 'headers' }))
      // Timers of one length run together once the first is due: this one takes the response's along.
      const first = setTimeout(() => undefined, 300)
      const failing = failureOf(get('/', { responseTimeoutMs: 300, totalTimeoutMs: 299 }))
      // When the machine pauses here, the time is over before anything is asked.
      await Promise.race([sink.until(() => sink.requests.length === 1), failing])
      const until = performance.now() + 400
      while (performance.now() < until);
      expect(await failing).toMatchObject({ kind: 'total-timeout' })
      clearTimeout(first)
    })

    it('total time spans redirects', async () => {
      sink.script(() => ({ status: 302, headers: { location: '/again' } }))
      const failure = await failureOf(get('/', { totalTimeoutMs: 80, maxRedirects: 1_000_000 }))
      expect(failure.kind).toBe('total-timeout')
    })

    it('connect time holds when the name server hangs', async () => {
      await using slow = open({ resolve: () => never })
      const url = `http://slow.test:${sink.port}/`
      const request = { method: 'GET', url, connectTimeoutMs: 30 } as const
      const failure = await failureOf(slow.request(request, soon()))
      expect(failure).toMatchObject({ kind: 'connect-timeout', code: 11201, isBeforeSending: true })
    })

    it('connect time holds when the TLS handshake hangs', async () => {
      const sockets: Socket[] = []
      const mute = createServer((socket) => sockets.push(socket.on('error', () => undefined)))
      mute.listen(0, '127.0.0.1')
      await once(mute, 'listening')
      const { port } = mute.address() as AddressInfo // a TCP server has one
      const url = `https://sink.test:${port}/`
      const failure = await failureOf(get('', { url, connectTimeoutMs: 60 }))
      for (const socket of sockets) socket.destroy()
      mute.close()
      expect(failure.kind).toBe('connect-timeout')
    })

    it('the caller may give up at any moment', async () => {
      sink.answer({ hang: 'headers' })
      const controller = new AbortController()
      const work = outbound.request({ method: 'GET', url: sink.url }, controller.signal)
      await sink.next()
      controller.abort(new Error('hung up'))
      expect(await failureOf(work)).toMatchObject({ kind: 'aborted', isRetryable: false })
      expect(outbound.connections).toBe(0)
    })

    it('takes a body of exactly the cap and not a byte more', async () => {
      sink.answer({ body: 'x'.repeat(1_000) }, { body: 'x'.repeat(1_001) })
      const response = await get('/', { maxBodyBytes: 1_000 })
      expect(response.body).toHaveLength(1_000)
      const failure = await failureOf(get('/', { maxBodyBytes: 1_000 }))
      expect(failure).toMatchObject({ kind: 'too-large', code: 11750 })
    })

    it('stops reading a chunked body at the cap', async () => {
      const chunk = `400\r\n${'x'.repeat(1_024)}\r\n`
      const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
      sink.answer({ raw: head + chunk.repeat(1_000) })
      expect((await failureOf(get('/', { maxBodyBytes: 10_000 }))).kind).toBe('too-large')
    })

    const codings: readonly [string, (content: string) => Buffer][] = [
      ['gzip', gzipSync],
      ['X-GZIP', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
    ]

    it.each(codings)('decodes a body in %s although none was asked for', async (coding, encode) => {
      const headers = { 'content-encoding': coding }
      sink.answer({ headers, body: encode('hällo') }, { headers })
      expect((await get('/')).body.toString()).toBe('hällo')
      expect((await get('/')).body).toHaveLength(0)
    })

    it.each(
      codings,
    )('takes content of exactly the cap in %s, not a byte more', async (coding, encode) => {
      const headers = { 'content-encoding': coding }
      const answer = (size: number) => ({ headers, body: encode('x'.repeat(size)) })
      sink.answer(answer(1_000), answer(1_001), answer(10_000_000))
      expect((await get('/', { maxBodyBytes: 1_000 })).body).toHaveLength(1_000)
      for (const _ of ['a byte more', 'a bomb'])
        expect(await failureOf(get('/', { maxBodyBytes: 1_000 }))).toMatchObject({
          kind: 'too-large',
          code: 11750,
        })
    })

    it.each([
      ['unknown', 'zstd', Buffer.from('hello')],
      ['several', 'gzip, gzip', gzipSync(gzipSync('hello'))],
      ['not what it says', 'gzip', Buffer.from('hello')],
      ['cut short', 'gzip', gzipSync('hello').subarray(0, 10)],
      ['not what it says', 'br', Buffer.from('hello')],
    ])('says so of a coding that is %s (%s)', async (_title, coding, body) => {
      sink.answer({ headers: { 'content-encoding': coding }, body })
      expect(await failureOf(get('/'))).toMatchObject({
        kind: 'content-coding',
        code: 11206,
        message: expect.stringContaining('Content-Encoding') as unknown,
      })
    })

    it('where only the status matters no body is a failure', async () => {
      const bomb = gzipSync(Buffer.alloc(10_000_000))
      sink.answer({ headers: { 'content-encoding': 'gzip' }, body: bomb })
      sink.answer({ status: 404, body: 'x'.repeat(1_000_000) })
      const compressed = await get('/', { ignoresBody: () => true })
      expect(compressed).toMatchObject({ status: 200, body: bomb })
      const cut = await get('/', { ignoresBody: () => true, maxBodyBytes: 100_000 })
      expect(cut.status).toBe(404)
      expect(cut.body.length).toBeLessThanOrEqual(100_000)
      expect((await get('/')).status).toBe(200)
      expect(sink.connections).toBe(2)
    })

    it.each([
      ['no HTTP at all', 'hello\r\n\r\n', 'protocol'],
      ['endless headers', `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`, 'protocol'],
      [
        'two lengths',
        'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
        'protocol',
      ],
      ['half a body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab', 'connection-lost'],
      ['nothing', '', 'connection-lost'],
    ])('%s is a failure', async (_title, raw, kind) => {
      sink.answer({ raw })
      expect((await failureOf(get('/'))).kind).toBe(kind)
    })

    it.each([
      ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
      ['102 Processing', 'HTTP/1.1 102 Processing\r\n\r\n'],
      ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n'],
      ['two of them', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n'],
    ])('reads what follows an interim response (%s)', async (_title, interim) => {
      const final = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nall of it'
      sink.answer({ raw: interim + final })
      const response = await post('/', 'a=b')
      expect(response.status).toBe(200)
      expect(response.body.toString()).toBe('all of it')
    })

    it.each([
      ['nothing after it', 'HTTP/1.1 100 Continue\r\n\r\n', 'connection-lost'],
      ['half of one', 'HTTP/1.1 100 Cont', 'connection-lost'],
      ['endless headers', `HTTP/1.1 103 Hints\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`, 'protocol'],
      ['a change of protocol', 'HTTP/1.1 101 Switching\r\n\r\n', 'connection-lost'],
    ])('an interim response with %s is a failure', async (_title, raw, kind) => {
      sink.answer({ raw })
      expect((await failureOf(get('/'))).kind).toBe(kind)
    })

    it('an endless flood of interim responses ends with the time of the response', async () => {
      const flood = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'.repeat(2_000)
      const flooding = createServer((socket) => {
        socket.on('error', () => undefined)
        const send = (): void => {
          if (!socket.destroyed) socket.write(flood, () => setImmediate(send))
        }
        socket.once('data', send)
      })
      flooding.listen(0, '127.0.0.1')
      await once(flooding, 'listening')
      const { port } = flooding.address() as AddressInfo // a TCP server has one
      const url = `http://sink.test:${port}/`
      const failure = await failureOf(get('', { url, responseTimeoutMs: 300 }))
      flooding.close()
      expect(failure.kind).toBe('response-timeout')
    })

    it('reads a body that ends with the connection', async () => {
      sink.answer({ raw: 'HTTP/1.0 200 OK\r\n\r\nall of it' })
      expect((await get('/')).body.toString()).toBe('all of it')
    })
  })

  describe('failures before anything is sent', () => {
    it('names that resolve to nothing', async () => {
      await using lost = open({ resolve: () => Promise.reject(new Error('ENOTFOUND')) })
      const failure = await failureOf(
        lost.request({ method: 'GET', url: 'http://a.test/' }, soon()),
      )
      expect(failure).toMatchObject({ kind: 'dns', code: 11210, isBeforeSending: true })
    })

    it('ports where nobody listens', async () => {
      // A port that was free a moment ago may be another test's by now.
      const url = 'http://127.0.0.1:1/'
      expect(await failureOf(get('', { url }))).toMatchObject({
        kind: 'connect-refused',
        code: 11202,
        isBeforeSending: true,
      })
    })

    it.each([
      '',
      'nonsense',
      'http://',
      'http://[::1',
      'ftp://a.test/',
      'javascript:alert(1)',
    ])('the URL %j', async (url) => {
      expect(await failureOf(get('', { url }))).toMatchObject({ kind: 'bad-url', code: 11100 })
    })

    it('header values that would forge a header', async () => {
      const failure = await failureOf(get('/', { headers: { 'x-a': 'b\r\nx-c: d' } }))
      expect(failure.kind).toBe('protocol')
      expect(sink.requests).toHaveLength(0)
    })
  })

  describe('TLS', () => {
    const good = tlsFixture('good')

    it('speaks to a server whose certificate is trusted and for its name', async () => {
      await using server = await HttpSink.start(good)
      await using trusting = open({ ca: good.cert })
      const url = `https://sink.test:${server.port}/x`
      const response = await trusting.request({ method: 'GET', url }, soon())
      expect(response.status).toBe(200)
      expect((await server.next()).headers.host).toBe(`sink.test:${server.port}`)
    })

    it.each([
      ['another name', 'good', 'good', 'other.test', 'tls-domain', 11235],
      ['an address', 'good', 'good', '127.0.0.1', 'tls-domain', 11235],
      ['a past date', 'expired', 'expired', 'sink.test', 'tls-expired', 11236],
      ['nobody we trust', 'good', 'expired', 'sink.test', 'tls-untrusted', 11237],
    ] as const)('refuses a certificate of %s', async (_title, mine, trusted, host, kind, code) => {
      await using server = await HttpSink.start(tlsFixture(mine))
      await using careful = open({ ca: tlsFixture(trusted).cert })
      const url = `https://${host}:${server.port}/`
      const failure = await failureOf(careful.request({ method: 'GET', url }, soon()))
      expect(failure).toMatchObject({ kind, code, isBeforeSending: true })
      expect(server.requests).toHaveLength(0)
    })

    it('refuses a server that speaks no TLS', async () => {
      const failure = await failureOf(get('', { url: `https://127.0.0.1:${sink.port}/` }))
      expect(failure).toMatchObject({ kind: 'tls', code: 11220 })
    })
  })

  describe('redirects', () => {
    it.each([
      [301, 'GET', ''],
      [302, 'GET', ''],
      [303, 'GET', ''],
      [307, 'POST', 'x=1'],
      [308, 'POST', 'x=1'],
    ])('%i makes a %s of a POST', async (status, method, body) => {
      sink.answer({ status, headers: { location: '../c?d=e#frag' } })
      const headers = { 'Content-Type': 'text/x', 'X-Kept': 'yes' }
      const response = await post('/a/b', 'x=1', { headers })
      const [, second] = sink.requests
      expect(second).toMatchObject({ method, target: '/c?d=e' })
      expect(second?.body.toString()).toBe(body)
      expect(second?.headers['x-kept']).toBe('yes')
      expect(second?.headers['content-type']).toBe(body === '' ? undefined : 'text/x')
      expect(response.url).toBe(`${sink.url}/c?d=e`)
    })

    it('follows as many as allowed and no more', async () => {
      sink.script(() => ({ status: 302, headers: { location: '/next' } }))
      const failure = await failureOf(get('/', { maxRedirects: 10 }))
      expect(failure).toMatchObject({ kind: 'too-many-redirects', code: 11215 })
      expect(sink.requests).toHaveLength(11)
    })

    it('returns the redirect itself when none is to be followed', async () => {
      sink.answer({ status: 302, headers: { location: '/next' } })
      expect((await get('/', { maxRedirects: 0 })).status).toBe(302)
    })

    it.each([
      ['no location', {}],
      ['an unparsable one', { location: 'http://[' }],
      ['a scheme that is not allowed', { location: 'file:///etc/passwd' }],
    ])('fails on %s', async (_title, headers: Record<string, string>) => {
      sink.answer({ status: 302, headers })
      expect(await failureOf(get('/'))).toMatchObject({ kind: 'bad-redirect', code: 11216 })
    })

    it('asks for the headers of each hop and shows each response', async () => {
      sink.answer({ status: 307, headers: { location: '/b' } })
      const seen: string[] = []
      await post('/a', 'x=1', {
        hopHeaders: (hop) => ({ 'x-hop': hop.url.pathname }),
        onHop: (hop, status) => seen.push(`${hop.url.pathname} ${status}`),
      })
      expect(sink.requests.map((r) => r.headers['x-hop'])).toEqual(['/a', '/b'])
      expect(seen).toEqual(['/a 307', '/b 200'])
    })

    it('keeps secrets from another origin', async () => {
      await using other = await HttpSink.start()
      sink.answer({ status: 307, headers: { location: `${other.url}/` } })
      await get('/', { headers: { Authorization: 'Bearer x', Cookie: 'a=b', 'X-Other': 'c' } })
      expect(sink.requests[0]?.headers).toMatchObject({ authorization: 'Bearer x', cookie: 'a=b' })
      const arrived = await other.next()
      expect(arrived.headers.authorization).toBeUndefined()
      expect(arrived.headers.cookie).toBeUndefined()
      expect(arrived.headers['x-other']).toBe('c')
    })
  })

  describe('credentials in the URL', () => {
    const withUser = (): string => `http://us%40er:p%3Ass@127.0.0.1:${sink.port}/secret`

    it('are sent only when asked for, and not shown', async () => {
      const response = await get('', { url: withUser() })
      expect((await sink.next()).headers.authorization).toBeUndefined()
      expect(response.url).toBe(`${sink.url}/secret`)
    })

    it('answer a Basic challenge once', async () => {
      const challenge = { status: 401, headers: { 'www-authenticate': 'Basic realm="x, y"' } }
      sink.answer(challenge)
      expect((await get('', { url: withUser() })).status).toBe(200)
      const expected = `Basic ${Buffer.from('us@er:p:ss').toString('base64')}`
      expect(sink.requests[1]?.headers.authorization).toBe(expected)
      sink.answer(challenge, challenge)
      expect((await get('', { url: withUser() })).status).toBe(401)
      expect(sink.requests).toHaveLength(4)
    })

    it.each([
      ['MD5', 'md5'],
      ['SHA-256', 'sha256'],
    ])('answer a Digest challenge with %s in preference to Basic', async (algorithm, hash) => {
      const digest = `Digest realm="r", nonce="n,1", qop="auth,auth-int", algorithm=${algorithm}, opaque="o"`
      sink.answer({ status: 401, headers: { 'www-authenticate': ['Basic realm="b"', digest] } })
      await get('', { url: withUser() })
      const sent = sink.requests[1]?.headers.authorization ?? ''
      const cnonce = /cnonce="([^"]+)"/.exec(sent)?.[1] ?? ''
      const h = (text: string) => createHash(hash).update(text).digest('hex')
      const expected = h(`${h('us@er:r:p:ss')}:n,1:00000001:${cnonce}:auth:${h('GET:/secret')}`)
      expect(sent).toContain(`response="${expected}"`)
      expect(sent).toContain('opaque="o"')
    })

    it('do not answer what they cannot, nor a redirect elsewhere', async () => {
      await using other = await HttpSink.start()
      sink.answer({ status: 401, headers: { 'www-authenticate': 'Negotiate' } })
      expect((await get('', { url: withUser() })).status).toBe(401)
      sink.answer({ status: 302, headers: { location: `${other.url}/` } })
      other.answer({ status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } })
      expect((await get('', { url: withUser() })).status).toBe(401)
      expect(other.requests.map((r) => r.headers.authorization)).toEqual([undefined])
    })
  })

  describe('isolation', () => {
    it('a tenant whose server hangs waits for itself; another one is served', async () => {
      await using bounded = open({
        limits: { connectionsPerOrigin: 2, connectionsPerTenant: 3, waitingPerTenant: 4 },
      })
      sink.script((request) => (request.target === '/slow' ? { hang: 'headers' } : {}))
      const controller = new AbortController()
      const ask = (tenant: string, path: string) =>
        bounded.request({ method: 'GET', url: sink.url + path, tenant }, controller.signal)
      const slow = Array.from({ length: 10 }, () => failureOf(ask('slow', '/slow')))
      await sink.until(() => sink.requests.length === 2)
      for (let i = 0; i < 20; i += 1) expect((await ask('fast', '/fast')).status).toBe(200)
      expect(sink.requests.filter((r) => r.target === '/slow')).toHaveLength(2)
      controller.abort()
      const kinds = (await Promise.all(slow)).map((failure) => failure.kind)
      expect(kinds.filter((kind) => kind === 'overloaded')).toHaveLength(4)
      expect(kinds.filter((kind) => kind === 'aborted')).toHaveLength(6)
    })

    it('whoever waits is served when a connection is free again', async () => {
      await using bounded = open({ limits: { connectionsPerOrigin: 2 } })
      const responses = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          bounded.request({ method: 'GET', url: `${sink.url}/${i}` }, soon()),
        ),
      )
      expect(responses.every((r) => r.status === 200)).toBe(true)
      expect(sink.connections).toBeLessThanOrEqual(2)
    })

    it('closes idle connections to make room for other origins', async () => {
      await using bounded = open({ limits: { connectionsPerTenant: 2, connections: 3 } })
      await using b = await HttpSink.start()
      await using c = await HttpSink.start()
      for (const tenant of ['1', '2', '3'])
        for (const { url } of [sink, b, c])
          await bounded.request({ method: 'GET', url, tenant }, soon())
      expect(bounded.connections).toBeLessThanOrEqual(3)
    })
  })

  it('disposal ends what runs and what waits', async () => {
    const busy = open({ limits: { connectionsPerOrigin: 1 } })
    sink.script(() => ({ hang: 'headers' }))
    const works = [1, 2, 3].map(() =>
      failureOf(busy.request({ method: 'GET', url: sink.url }, soon())),
    )
    await sink.next()
    await busy[Symbol.asyncDispose]()
    expect((await Promise.all(works)).map((failure) => failure.kind)).toEqual(
      Array.from({ length: 3 }, () => 'aborted'),
    )
    expect(busy.connections).toBe(0)
    const late = failureOf(busy.request({ method: 'GET', url: sink.url }, soon()))
    expect((await late).kind).toBe('aborted')
  })
})
