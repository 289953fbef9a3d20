import { describe, expect, it } from 'vitest'
import { AdapterError } from '../../../src/platform/errors.js'
import type { OutboundResponse } from '../../../src/platform/http/outbound.js'
import { OutboundError } from '../../../src/platform/http/outbound-error.js'
import type { OutboundRequest } from '../../../src/platform/http/outbound-request.js'
import { createHttpCarrier } from '../../../src/porting/http-carrier.js'
import type { CarrierOrder } from '../../../src/porting/losing-carrier.js'
import { STORED_SUBSCRIBER } from '../../support/porting/port-samples.js'

const NUMBER = '+12025550143'
const NOW = Date.UTC(2026, 0, 15, 12)
const ORDER: CarrierOrder = {
  reference: 'PI1',
  kind: 'local',
  state: 'pending',
  foc: undefined,
  enteredAt: NOW,
  numbers: [NUMBER],
  accountNumber: '4711',
  pin: '1234',
  desiredDueDate: '',
  version: 3,
  subscriber: STORED_SUBSCRIBER,
}
const never = new AbortController().signal

/** A carrier whose server answers as the script says. */
function carrierWith(script: (request: OutboundRequest) => readonly [number, unknown]) {
  const asked: OutboundRequest[] = []
  const request = (wanted: OutboundRequest): Promise<OutboundResponse> => {
    asked.push(wanted)
    const [status, body] = script(wanted)
    return Promise.resolve({
      status,
      headers: new Headers(),
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      url: wanted.url,
      timings: { connectMs: 0, headersMs: 0, totalMs: 0 },
    })
  }
  const server = { url: 'https://ports.example/v1/', token: 'secret' }
  return { asked, carrier: createHttpCarrier({ request }, server) }
}

describe('the HTTP provider of ports', () => {
  it('says whether a number can be ported', async () => {
    const { asked, carrier } = carrierWith(() => [
      200,
      { portable: true, carrier: 'Other Telecom', lrn: '2025550000', rateCenterTier: '1' },
    ])
    expect(await carrier.portability(NUMBER, never)).toEqual({
      isPortable: true,
      reason: undefined,
      losingCarrier: 'Other Telecom',
      localRoutingNumber: '2025550000',
      rateCenterTier: '1',
    })
    expect(asked[0]).toMatchObject({
      method: 'GET',
      url: 'https://ports.example/v1/portability/%2B12025550143',
      headers: { Authorization: 'Bearer secret' },
      maxRedirects: 0,
    })
  })

  it.each<[string, number, unknown, string]>([
    ['for its reason', 200, { portable: false, reason: 'It is frozen.' }, 'It is frozen.'],
    ['without a reason', 200, { portable: false }, 'The carrier of the number does not let it go.'],
    ['that nobody knows', 404, '', 'No carrier is known that has the number.'],
  ])('says that a number cannot be ported %s', async (_title, status, body, reason) => {
    const { carrier } = carrierWith(() => [status, body])
    expect(await carrier.portability(NUMBER, never)).toMatchObject({ isPortable: false, reason })
  })

  it('gets the whole order, the same one each time, so that it orders once', async () => {
    const { asked, carrier } = carrierWith(() => [200, { answer: 'wait' }])
    await carrier.ask(ORDER, NOW, never)
    await carrier.ask(ORDER, NOW + 60_000, never)
    const [first, second] = asked
    expect(first).toMatchObject({ method: 'PUT', url: 'https://ports.example/v1/ports/PI1' })
    expect(second).toMatchObject({ method: 'PUT', url: first?.url, body: first?.body })
    expect(typeof first?.body === 'string' && JSON.parse(first.body)).toEqual({
      kind: 'local',
      state: 'pending',
      enteredAt: '2026-01-15T12:00:00.000Z',
      numbers: [NUMBER],
      accountNumber: '4711',
      pin: '1234',
      desiredDueDate: '',
      version: 3,
      subscriber: STORED_SUBSCRIBER,
    })
  })

  it.each<[object, object]>([
    [{ answer: 'wait' }, { type: 'wait', until: NOW + 900_000 }],
    [
      { answer: 'wait', until: '2026-01-15T13:00:00Z' },
      { type: 'wait', until: NOW + 3_600_000 },
    ],
    [
      { answer: 'wait', until: '2026-01-15T11:59:00Z' },
      { type: 'wait', until: NOW + 60_000 },
    ],
    [{ answer: 'review-began' }, { type: 'review-began' }],
    [{ answer: 'review-passed' }, { type: 'review-passed' }],
    [
      { answer: 'date-confirmed', foc: '2026-02-02' },
      { type: 'date-confirmed', foc: '2026-02-02' },
    ],
    [
      { answer: 'rejected', reason: 'The PIN is wrong.' },
      { type: 'rejected', reason: 'The PIN is wrong.' },
    ],
    [{ answer: 'activated' }, { type: 'activated' }],
  ])('answers %j', async (body, answer) => {
    const { carrier } = carrierWith(() => [200, body])
    expect(await carrier.ask(ORDER, NOW, never)).toEqual(answer)
  })

  it.each([200, 204, 404])('is told of a cancelled port; %i is as good as done', async (status) => {
    const { asked, carrier } = carrierWith(() => [status, ''])
    const answer = await carrier.ask({ ...ORDER, state: 'cancelled' }, NOW, never)
    expect(answer).toEqual({ type: 'wait', until: undefined })
    expect(asked).toMatchObject([{ method: 'DELETE', url: 'https://ports.example/v1/ports/PI1' }])
  })

  it.each<[string, number, unknown]>([
    ['an error of its own', 500, ''],
    ['a refusal', 403, {}],
    ['no JSON', 200, '<html>'],
    ['an answer that means nothing', 200, { answer: 'perhaps' }],
    ['no date', 200, { answer: 'date-confirmed', foc: '2026-02-30' }],
    ['a rejection without a reason', 200, { answer: 'rejected', reason: '' }],
  ])('that gives %s is asked again later', async (_title, status, body) => {
    const { carrier } = carrierWith(() => [status, body])
    await expect(carrier.ask(ORDER, NOW, never)).rejects.toBeInstanceOf(AdapterError)
  })

  it('that cannot be reached is asked again later', async () => {
    const { carrier } = carrierWith((request) => {
      throw new OutboundError('connect-refused', request.url)
    })
    await expect(carrier.ask(ORDER, NOW, never)).rejects.toMatchObject({ isRetryable: true })
    await expect(carrier.portability(NUMBER, never)).rejects.toMatchObject({ isRetryable: true })
  })
})
