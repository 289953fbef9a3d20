import { createHash } from 'node:crypto'
import twilio from 'twilio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import { createOutbound, type Outbound } from '../../../../src/platform/http/outbound.js'
import { createLogger } from '../../../../src/platform/log.js'
import {
  createWebhooks,
  type WebhookRequest,
} from '../../../../src/platform/webhooks/fetch-webhook.js'
import { HttpSink, type SinkRequest } from '../../../support/http/http-sink.js'

const TOKEN = '0123456789abcdef0123456789abcdef'
const NAME = 'X-Twilio-Signature'

/** What the client library's express validator reads of a request. */
function expressRequest(request: SinkRequest) {
  const headers: Record<string, unknown> = { ...request.headers }
  return {
    protocol: 'http',
    headers,
    header: (name: string) => headers[name.toLowerCase()],
    get: (name: string) => headers[name.toLowerCase()],
    originalUrl: request.target,
    url: request.target,
    query: Object.fromEntries(new URLSearchParams(request.target.split('?')[1] ?? '')),
    body: bodyOf(request),
    rawBody: request.body.toString('utf8'),
  }
}

function bodyOf({ method, headers, body, params }: SinkRequest): Record<string, unknown> {
  if (method === 'GET') return {}
  // The sink saw our own JSON text.
  if (headers['content-type'] === 'application/json')
    return JSON.parse(body.toString('utf8')) as Record<string, unknown>
  const form: Record<string, string | string[]> = {}
  for (const [name, value] of params) {
    const known = form[name]
    form[name] = known === undefined ? value : [known, value].flat()
  }
  return form
}

describe("[D29] the client library's own validators accept our requests as they arrive", () => {
  let sink: HttpSink
  let outbound: Outbound
  const params = {
    none: [],
    plain: [
      ['CallSid', 'CA1'],
      ['From', '+14158675310'],
    ],
    unicode: [
      ['Text', 'Grüße, 日本 😀'],
      ['Ünï', 'é'],
    ],
    empty: [
      ['A', ''],
      ['B', ' '],
    ],
    repeated: [
      ['M', '2'],
      ['M', '1'],
      ['M', '2'],
    ],
    odd: [['Q', "it's & = + % / ? # \r\n"]],
  } as const satisfies Record<string, WebhookRequest['params']>
  const targets = ['/', '/a?b=c', "/a?q='x'&y=%20z", '/ü?q=ü', '/a?x=1&x=2', '/a#rc=1', '/a?b']

  beforeAll(async () => {
    sink = await HttpSink.start()
    outbound = createOutbound({
      policy: { mode: 'allow-private', allow: [] },
      clock: systemClock,
      log: createLogger('silent'),
    })
  })
  afterAll(async () => {
    await outbound[Symbol.asyncDispose]()
    await sink[Symbol.asyncDispose]()
  })

  const send = async (more: Partial<WebhookRequest> & Pick<WebhookRequest, 'url'>) => {
    const webhooks = createWebhooks({ outbound, clock: systemClock, version: '1' })
    const signing = { authToken: TOKEN, secondHeader: NAME }
    const request = { method: 'POST', params: [], accountSid: 'AC1', signing, ...more } as const
    await webhooks.fetch(request, AbortSignal.timeout(15_000))
    return await sink.next()
  }
  const seenUrl = ({ headers, target }: SinkRequest) => `http://${headers.host ?? ''}${target}`
  const signatureOf = ({ headers }: SinkRequest) => String(headers[NAME.toLowerCase()])

  const rows = Object.keys(params).flatMap((kind) =>
    targets.flatMap((target) =>
      (['GET', 'POST'] as const).map((method) => [method, kind, target] as const),
    ),
  )

  it.each(rows)('%s, %s parameters, %s', async (method, kind, target) => {
    const form = params[kind as keyof typeof params] // one of its keys, as just listed
    const request = await send({ method, url: sink.url + target, params: form })
    const url = seenUrl(request)
    const body = bodyOf(request)
    expect(twilio.validateRequest(TOKEN, signatureOf(request), url, body)).toBe(true)
    // The library's declarations want the whole of express; it reads what is here.
    const express = expressRequest(request) as unknown as Parameters<
      typeof twilio.validateExpressRequest
    >[0]
    expect(twilio.validateExpressRequest(express, TOKEN)).toBe(true)
    expect(twilio.validateRequest('another token', signatureOf(request), url, body)).toBe(false)
  })

  it('with credentials in the URL, before and after the challenge', async () => {
    sink.answer({ status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } })
    const first = await send({
      url: `http://us%40er:pass@127.0.0.1:${sink.port}/a`,
      params: params.plain,
    })
    const second = await sink.next()
    for (const request of [first, second])
      expect(
        twilio.validateRequest(TOKEN, signatureOf(request), seenUrl(request), bodyOf(request)),
      ).toBe(true)
  })

  it.each(targets)('JSON to %s, by its hash in the URL', async (target) => {
    const json = JSON.stringify({ CallSid: 'CA1', Text: 'Grüße 😀' })
    const request = await send({ url: sink.url + target, json })
    expect(request.headers['content-type']).toBe('application/json')
    expect(request.body.toString('utf8')).toBe(json)
    expect(request.target).toContain(
      `bodySHA256=${createHash('sha256').update(json).digest('hex')}`,
    )
    const [url, signature] = [seenUrl(request), signatureOf(request)]
    expect(twilio.validateRequestWithBody(TOKEN, signature, url, json)).toBe(true)
    expect(twilio.validateRequestWithBody(TOKEN, signature, url, `${json} `)).toBe(false)
  })
})
