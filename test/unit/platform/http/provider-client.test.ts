/** What a provider's server may do wrong, over a real socket: each fault ends as the provider's failure. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EmergencyProviderError } from '../../../../src/emergency/emergency-provider.js'
import { createHttpProvider } from '../../../../src/emergency/http-provider.js'
import { LookupError } from '../../../../src/lookups/lookup-provider.js'
import { createHttpLookups } from '../../../../src/lookups/providers/http-provider.js'
import { createHttpSeller } from '../../../../src/numbers/http-seller.js'
import { NumberProviderError } from '../../../../src/numbers/number-seller.js'
import { systemClock } from '../../../../src/platform/clock.js'
import { AdapterError } from '../../../../src/platform/errors.js'
import { createOutbound, type Outbound } from '../../../../src/platform/http/outbound.js'
import type { OutboundRequest } from '../../../../src/platform/http/outbound-request.js'
import type { JsonServer } from '../../../../src/platform/http/provider-client.js'
import { createLogger } from '../../../../src/platform/log.js'
import { createHttpCarrier } from '../../../../src/porting/http-carrier.js'
import { HttpSink, type SinkAnswer } from '../../../support/http/http-sink.js'

type Requests = Pick<Outbound, 'request'>
type Ask = (outbound: Requests, server: JsonServer) => Promise<unknown>
type Failure = abstract new (...args: never[]) => Error

const NUMBER = '+12125550143'
const ADDRESS = { address1: '1 Main St', address2: '', city: 'Reno', state: 'NV', zip: '89501' }
const MIB = 1024 * 1024

/** Each provider with a question, its failure, and the most that it waits for and reads. */
const PROVIDERS: readonly (readonly [string, Ask, Failure, ms: number, bytes: number])[] = [
  [
    'numbers',
    (...at) => createHttpSeller(...at).search({ mask: '775_______', filter: {}, limit: 10 }),
    NumberProviderError,
    10_000,
    8 * MIB,
  ],
  [
    'orders',
    (...at) => createHttpSeller(...at).order({ key: 'o1', numbers: [NUMBER] }),
    NumberProviderError,
    10_000,
    8 * MIB,
  ],
  ['names', (...at) => createHttpLookups(...at).callerName(NUMBER), LookupError, 5_000, MIB / 16],
  [
    'routes',
    (...at) => createHttpLookups(...at).route(NUMBER, NUMBER),
    LookupError,
    5_000,
    MIB / 16,
  ],
  [
    'emergency addresses',
    (...at) => createHttpProvider(...at).validate(ADDRESS),
    EmergencyProviderError,
    10_000,
    MIB / 16,
  ],
  [
    'ports',
    (...at) => createHttpCarrier(...at).portability(NUMBER, new AbortController().signal),
    AdapterError,
    10_000,
    MIB / 16,
  ],
]

/** The time that a slow provider has in these tests, in place of its own. */
const SOON_MS = 150

const SLOW: readonly (readonly [string, SinkAnswer])[] = [
  ['never answers', { hang: 'headers' }],
  ['stops amid its answer', { hang: 'body', body: '{"name":"ACME"}' }],
  ['sends its answer byte by byte', { trickleMs: 5, body: '{"name":"ACME"}'.padEnd(60_000) }],
]
const WRONG: readonly (readonly [string, SinkAnswer])[] = [
  ['hangs up', { drop: true }],
  ['speaks no HTTP', { raw: 'SIP/2.0 200 OK\r\n\r\n' }],
  ['sends more than it says', { raw: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{"name":1}' }],
  ['sends a page', { body: '<html>' }],
  ['sends nothing', { body: '' }],
  ['sends half of its JSON', { body: '{"name":"AC' }],
  ['sends null', { body: 'null' }],
  ['sends a list', { body: '[]' }],
  ['sends another shape', { body: '{"name":{},"numbers":{},"address":[],"lrn":1}' }],
  ['sends lists in lists', { body: '['.repeat(30_000) }],
  ['answers 500', { status: 500, body: '{}' }],
  ['answers 204', { status: 204 }],
  ['asks for another key', { status: 302, headers: { location: '/elsewhere' } }],
]

describe.each(PROVIDERS)('the provider of %s', (_name, ask, failure, ms, bytes) => {
  let sink: HttpSink
  let outbound: Outbound
  const asked: OutboundRequest[] = []

  beforeEach(async () => {
    asked.length = 0
    sink = await HttpSink.start()
    outbound = createOutbound({
      policy: { mode: 'allow-private', allow: [] },
      clock: systemClock,
      log: createLogger('silent'),
      resolve: () => Promise.resolve(['127.0.0.1']),
    })
  })
  afterEach(async () => {
    await outbound[Symbol.asyncDispose]()
    await sink[Symbol.asyncDispose]()
    expect(outbound.connections).toBe(0)
  })

  /** Asks the provider, which has this long instead of its own time; resolves with the failure. */
  async function failureWithin(limitMs: number): Promise<Error> {
    const impatient: Requests = {
      request: (request, signal) => {
        asked.push(request)
        const limits = { responseTimeoutMs: limitMs, totalTimeoutMs: limitMs }
        return outbound.request({ ...request, ...limits }, signal)
      },
    }
    const outcome: unknown = await ask(impatient, { url: sink.url, token: 'secret' }).catch(
      (error: unknown) => error,
    )
    if (!(outcome instanceof failure)) throw new Error('did not fail so', { cause: outcome })
    expect(outcome.message).toMatch(/ provider .*(not answer|answered \d|not understood)/)
    return outcome
  }

  it.each(SLOW)('fails when it %s', async (_title, answer) => {
    sink.script(() => answer)
    const kind = expect.stringMatching(/-timeout$/) as string
    expect(await failureWithin(SOON_MS)).toMatchObject({ cause: { kind } })
    expect(asked).toHaveLength(1)
  })

  it.each(WRONG)('fails when it %s, and is not asked again at once', async (_title, answer) => {
    sink.script(() => answer)
    await failureWithin(ms)
    expect(sink.requests).toHaveLength(1)
  })

  it('fails when its answer is larger than it may be', async () => {
    sink.answer({ body: ' '.repeat(bytes + 1) })
    expect(await failureWithin(ms)).toMatchObject({ cause: { kind: 'too-large' } })
    expect(asked[0]).toMatchObject({ totalTimeoutMs: ms, maxBodyBytes: bytes, maxRedirects: 0 })
  })
})
