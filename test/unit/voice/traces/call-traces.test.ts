import { SpanStatusCode } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { expect, it } from 'vitest'
import type { RecordedEvent } from '../../../../src/voice/events/call-event.js'
import { CallTraces } from '../../../../src/voice/traces/call-traces.js'

const PARENT = `CA${'a'.repeat(32)}`
const CHILD = `CA${'b'.repeat(32)}`

/** The packages take small numbers for times since the start of the process. */
const EPOCH = Date.UTC(2026, 0, 1)

function setUp() {
  const exporter = new InMemorySpanExporter()
  const traces = new CallTraces({
    serviceName: 'acme',
    version: '1',
    processor: new SimpleSpanProcessor(exporter),
    parentOf: (sid) => (sid === CHILD ? PARENT : undefined),
  })
  const add = (
    callSid: string,
    at: number,
    kind: RecordedEvent['kind'],
    detail: RecordedEvent['detail'],
  ): void => {
    traces.add({ callSid, accountSid: 'AC1', kind, detail, at: EPOCH + at })
  }
  return { traces, add, spans: () => exporter.getFinishedSpans() }
}

const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const [found, ...more] = spans.filter((span) => span.name === name)
  if (found === undefined || more.length > 0) throw new Error(`${more.length + 1} spans ${name}`)
  return found
}
const ms = ([seconds, nanos]: readonly [number, number]) => seconds * 1_000 + nanos / 1e6 - EPOCH
const times = ({ startTime, endTime }: ReadableSpan) => [ms(startTime), ms(endTime)]

it('is one tree for a call and the call that it dials, with the sid as id', () => {
  const { add, spans } = setUp()
  add(PARENT, 1_000, 'sip', { direction: 'received', message: 'INVITE', callId: 'one' })
  add(PARENT, 1_120, 'webhook', {
    url: 'http://a/voice',
    method: 'POST',
    durationMs: 100,
    status: 200,
  })
  add(PARENT, 1_130, 'verb', { verb: 'Say' })
  add(PARENT, 1_180, 'synthesis', { engine: 'built-in', characters: 5, durationMs: 40 })
  add(PARENT, 2_000, 'verb', { verb: 'Dial' })
  const peer = { transport: 'udp', host: '192.0.2.1', port: 5060 }
  add(CHILD, 2_010, 'sip', {
    direction: 'sent',
    message: 'INVITE',
    callId: 'two',
    peer,
    carrier: 'acme',
  })
  add(CHILD, 2_500, 'sip', { direction: 'received', message: '486 Busy Here', callId: 'two' })
  add(CHILD, 2_510, 'status', { status: 'busy', sipStatus: 486 })
  add(PARENT, 3_000, 'media', { figures: { codec: 'PCMU', mos: 4.4, packetsReceived: 100 } })
  add(PARENT, 3_010, 'status', { status: 'completed', sipStatus: 200 })
  const all = spans()
  const root = named(all, 'call')
  expect(root.spanContext().traceId).toBe('a'.repeat(32))
  expect(root.parentSpanContext).toBeUndefined()
  expect(root.attributes).toMatchObject({
    'trunkline.call_sid': PARENT,
    'trunkline.status': 'completed',
    'trunkline.audio.mos': 4.4,
  })
  expect(root.resource.attributes).toMatchObject({ 'service.name': 'acme' })
  for (const span of all) expect(span.spanContext().traceId).toBe('a'.repeat(32))
  const below = (span: ReadableSpan) =>
    all.filter(({ parentSpanContext: of }) => of?.spanId === span.spanContext().spanId)
  const dialled = named(all, 'dialled call')
  expect(
    below(root)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([
    'SIP dialog',
    'dialled call',
    'synthesis built-in',
    'verb Dial',
    'verb Say',
    'webhook POST',
  ])
  expect(below(dialled)).toHaveLength(1)
  expect(below(dialled)[0]?.attributes).toMatchObject({
    'sip.call_id': 'two',
    'sip.response.status_code': 486,
    'trunkline.carrier': 'acme',
    'network.peer.address': '192.0.2.1',
  })
  expect(times(root)).toEqual([1_000, 3_010])
  expect(times(named(all, 'webhook POST'))).toEqual([1_020, 1_120])
  expect(times(named(all, 'synthesis built-in'))).toEqual([1_140, 1_180])
  expect(times(named(all, 'verb Say'))).toEqual([1_130, 2_000])
  expect(times(named(all, 'verb Dial'))).toEqual([2_000, 3_010])
})

it('marks what failed, and says why', () => {
  const { add, spans } = setUp()
  add(PARENT, 0, 'status', { status: 'ringing' })
  const error = { code: 11200, message: 'refused' }
  add(PARENT, 50, 'webhook', { url: 'http://a/', method: 'GET', durationMs: 5, error })
  add(PARENT, 60, 'webhook', { url: 'http://a/', method: 'PUT', durationMs: 5, status: 500 })
  add(PARENT, 70, 'status', { status: 'failed', sipStatus: 503 })
  const failed = { code: SpanStatusCode.ERROR }
  expect(named(spans(), 'webhook GET').status).toEqual({ ...failed, message: 'refused' })
  expect(named(spans(), 'webhook PUT').status).toEqual(failed)
  expect(named(spans(), 'call').status).toEqual(failed)
})

it('ends with the call: what comes later begins no second trace', () => {
  const { add, spans } = setUp()
  add(PARENT, 0, 'status', { status: 'completed' })
  add(PARENT, 10, 'callback', { url: 'http://a/', method: 'POST', durationMs: 5, status: 200 })
  add(PARENT, 20, 'recording', { event: 'completed' })
  expect(spans().map(({ name }) => name)).toEqual(['call'])
})

it('ends the traces of calls that the end of the process cuts off', () => {
  const { add, traces, spans } = setUp()
  add(PARENT, 0, 'status', { status: 'in-progress' })
  traces.end(EPOCH + 500)
  expect(times(named(spans(), 'call'))).toEqual([0, 500])
})

it('holds no whole SIP message and no text of the customer', () => {
  const { add, spans } = setUp()
  add(PARENT, 0, 'sip-message', { text: 'INVITE sip:secret SIP/2.0' })
  add(PARENT, 1, 'digits', { digits: 'secret', digit: '5' })
  add(PARENT, 2, 'verb', { verb: 'Say', text: 'secret', attributes: { voice: 'secret' } })
  add(PARENT, 3, 'status', { status: 'completed' })
  const shown = spans().map(({ name, attributes, events }) => ({ name, attributes, events }))
  expect(JSON.stringify(shown)).not.toContain('secret')
})
