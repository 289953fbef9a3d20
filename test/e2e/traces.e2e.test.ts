import { afterAll, beforeAll, expect, it } from 'vitest'
import { HttpSink } from '../support/http/http-sink.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

/** Traces as a collector of OpenTelemetry receives them. */
const LIMIT_MS = 20_000

/** A span in OTLP's JSON (opentelemetry-proto, trace.proto), as far as it is looked at. */
interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

let collector: HttpSink
let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  collector = await HttpSink.start()
  app = await startVoiceApp()
  trunkline = await startTrunkline({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=the%20key',
    OTEL_SERVICE_NAME: 'acme-voice',
  })
})
afterAll(async () => {
  await trunkline[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
  await collector[Symbol.asyncDispose]()
})

function spans(): readonly OtlpSpan[] {
  return collector.requests.flatMap(({ body }) => {
    const { resourceSpans } = JSON.parse(body.toString()) as {
      readonly resourceSpans: readonly {
        readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
      }[]
    }
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
  })
}

async function over(sid: string): Promise<void> {
  const status = async () => (await trunkline.fetchCall(sid)).status
  await expect.poll(status, { timeout: LIMIT_MS, interval: 50 }).toBe('completed')
}

it('a collector gets one tree for a call and the call that it dials', async () => {
  using phone = await SipPeer.open()
  const guarded = app.url.replace('http://', 'http://user:Spassword0815@')
  app.page('/voice', `<Say>Hello.</Say><Dial><Sip>${phone.uri('phone')}</Sip></Dial>`)
  const { sid } = await trunkline.createCall({
    To: '+15005550001',
    From: '+15005550000',
    Url: `${guarded}/voice`,
  })
  const dialled = await phone.nextCall(LIMIT_MS)
  await dialled.answer()
  dialled.bye()
  await over(sid)
  const traceId = sid.slice(2)
  const ofCall = () => spans().filter((span) => span.traceId === traceId)
  await expect
    .poll(() => ofCall().map(({ name }) => name), { timeout: LIMIT_MS, interval: 50 })
    .toContain('call')
  const [root, ...roots] = ofCall().filter(({ parentSpanId = '' }) => parentSpanId === '')
  expect([root?.name, roots]).toEqual(['call', []])
  const below = (of: OtlpSpan | undefined) =>
    ofCall().filter(({ parentSpanId }) => parentSpanId === of?.spanId)
  const names = below(root).map(({ name }) => name)
  expect(names.toSorted()).toEqual([
    'SIP dialog',
    'dialled call',
    'synthesis built-in',
    'verb Dial',
    'verb Say',
    'webhook POST',
  ])
  const child = below(root).find(({ name }) => name === 'dialled call')
  expect(below(child).map(({ name }) => name)).toEqual(['SIP dialog'])
  for (const { startTimeUnixNano: from, endTimeUnixNano: to } of ofCall())
    expect(BigInt(to)).toBeGreaterThanOrEqual(BigInt(from))
  const [request] = collector.requests
  expect(request).toMatchObject({ method: 'POST', target: '/v1/traces' })
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-api-key': 'the key',
  })
  const sent = collector.requests.map(({ body }) => body.toString()).join('\n')
  expect(sent).toContain('acme-voice')
  for (const secret of ['Spassword0815', trunkline.account.secret])
    expect(sent.includes(secret), secret).toBe(false)
})

it('a collector that is away costs no call, and gets what waited', async () => {
  const before = collector.requests.length
  let isAway = true
  collector.script(() => ({ status: isAway ? 503 : 200 }))
  app.page('/short', '<Hangup/>')
  const { sid } = await trunkline.createCall({
    To: '+15005550001',
    From: '+15005550000',
    Url: `${app.url}/short`,
  })
  await over(sid)
  await expect
    .poll(() => collector.requests.length, { timeout: LIMIT_MS, interval: 50 })
    .toBeGreaterThan(before + 1)
  isAway = false
  const arrived = collector.requests.length
  await expect
    .poll(() => collector.requests.length, { timeout: LIMIT_MS, interval: 50 })
    .toBeGreaterThan(arrived)
  const last = collector.requests.at(-1)?.body.toString() ?? ''
  expect(last).toContain(sid.slice(2))
  expect(trunkline.server.log().match(/could not send traces/g)).toHaveLength(1)
  expect(await trunkline.metrics()).toMatchObject({ trace_spans_dropped: 0 })
})
