import { describe, expect, it } from 'vitest'
import type { OperatorLookup } from '../../../src/messages/operator-lookup.js'
import { deferred } from '../../../src/platform/async/deferred.js'
import { changeAccountRates } from '../../../src/rating/account-rates.js'
import {
  type Answer,
  accountApiFixture,
  type Body,
} from '../../support/account/account-api-fixture.js'
import { permitAtRate } from '../../support/messages/permit-all.js'

const FROM = '2025550111'
const TO = '3035550142'
const ABSENT = '2025550199'
const CAT = 'https://app.test/cat.png'
const SENT = { fromNumber: FROM, toNumber: TO, text: 'Hello' }
const LEGACY_SENT = { source: Number(FROM), destination: Number(TO), messageText: 'Hello' }

const dataOf = ({ body }: Answer) => body['data'] as Body
const valuesOf = (records: unknown) => (records as { value: Body }[]).map(({ value }) => value)

/** A look-up of operators that has begun, and goes on until the test ends it. */
function heldLookup() {
  const begun = deferred<undefined>()
  const answer = deferred<undefined>()
  let count = 0
  return {
    begun: begun.done,
    end: () => {
      answer.resolve(undefined)
    },
    count: () => count,
    operatorOf: () => {
      count += 1
      begun.resolve(undefined)
      return answer.done
    },
  }
}

/** The account API, with an account that holds the number of the tests. */
async function setUp(operators?: OperatorLookup) {
  const t = await accountApiFixture({}, { operators })
  await t.hold(FROM)
  const messages = (query: string) => t.rest('GET', `/messages?number=${FROM}${query}`)
  const seconds = () => Math.floor(t.clock.now() / 1_000)
  /** A message that the number is sent by a carrier. */
  const take = (body: string) =>
    t.messages.take({
      carrier: 'scripted',
      id: `in-${body}`,
      from: `+1${TO}`,
      to: `+1${FROM}`,
      body,
    })
  return Object.assign(t, { messagesOf: messages, seconds, take })
}

describe('sending a message', () => {
  it('answers with its id, its segments and both numbers', async () => {
    await using t = await setUp()
    const sent = await t.rest('POST', '/messages', { ...SENT, text: 'é'.repeat(161) })
    expect(sent.status).toBe(201)
    expect(dataOf(sent)).toMatchObject({ type: 'sms', parts: 2, fromNumber: FROM, toNumber: TO })
    const { sid, status } = await t.messages.fetch(t.account.sid, String(dataOf(sent)['id']))
    expect([sid, status]).toEqual([dataOf(sent)['id'], 'queued'])
  })

  it.each<[string, string, Body, string]>([
    ['no text', '/v2.2/messages', { fromNumber: FROM, toNumber: TO }, 'text'],
    ['an empty text', '/v2.2/messages', { ...SENT, text: '', mediaUrls: [] }, 'text'],
    ['an empty text', '/v2.1/messaging/sms/', { ...LEGACY_SENT, messageText: '' }, 'messageText'],
    ['an empty text', '/v2.1/messaging/mms/', { ...LEGACY_SENT, messageText: '' }, 'messageText'],
  ])('with %s and no media to %s names the field', async (_title, path, body, field) => {
    await using t = await setUp()
    const answer = await t.send('POST', path, body, { key: t.account.secret })
    expect(answer.status).toBe(400)
    const { error = answer.body } = answer.body as { error?: Body }
    expect(error['message']).toBe(`Field Required: ${field}`)
  })

  it('has the text that is shown later, also of half a character', async () => {
    await using t = await setUp()
    const sent = await t.rest('POST', '/messages', { ...SENT, text: 'a\ud83db 😀' })
    expect(dataOf(sent)['text']).toBe('a\ufffdb 😀')
    const { body } = await t.messages.fetch(t.account.sid, String(dataOf(sent)['id']))
    expect(body).toBe('a\ufffdb 😀')
  })

  it('answers with a transaction in the legacy style', async () => {
    await using t = await setUp()
    const { status, body } = await t.legacy('/messaging/sms/', LEGACY_SENT)
    const { transaction } = body['message'] as { transaction: Body }
    expect([status, transaction['destination']]).toEqual([200, `1${TO}`])
    const sent = await t.messages.fetch(t.account.sid, String(transaction['transactionGUID']))
    expect(sent).toMatchObject({ from: `+1${FROM}`, to: `+1${TO}`, body: 'Hello' })
  })

  it('goes to a short code, in both styles', async () => {
    await using t = await setUp()
    const sent = await t.rest('POST', '/messages', { ...SENT, toNumber: '72345' })
    expect([sent.status, dataOf(sent)['toNumber']]).toEqual([201, '72345'])
    for (const path of ['/messaging/sms/', '/messaging/mms/']) {
      const { status, body } = await t.legacy(path, { ...LEGACY_SENT, destination: 72_345 })
      const { transaction } = body['message'] as { transaction: Body }
      expect([status, transaction['destination']]).toEqual([200, '72345'])
    }
    const page = { limit: 10, offset: 0 }
    const { items } = await t.messages.list(t.account.sid, { to: '72345' }, page)
    expect(items).toHaveLength(3)
  })

  it('with the same Idempotency-Key sends one message', async () => {
    await using t = await setUp()
    const asked = { key: t.account.secret, headers: { 'idempotency-key': 'once' } }
    const first = await t.send('POST', '/v2.2/messages', SENT, asked)
    const again = await t.send('POST', '/v2.2/messages', SENT, asked)
    expect(again.body).toEqual(first.body)
    expect(dataOf(await t.messagesOf(''))['messages']).toHaveLength(1)
  })

  it.each([
    ['/v2.2/messages', SENT],
    ['/v2.1/messaging/sms/', LEGACY_SENT],
    ['/v2.1/messaging/mms/', { ...LEGACY_SENT, mmsURL: CAT }],
  ])('by %s with a key holds no other write up while an operator is asked for', async (path, body) => {
    const lookup = heldLookup()
    await using t = await setUp(lookup)
    const asked = { key: t.account.secret, headers: { 'idempotency-key': 'once' } }
    const sending = t.send('POST', path, body, asked)
    await lookup.begun
    expect((await t.rest('PUT', '/account', { timezone: 'Europe/Berlin' })).status).toBe(200)
    lookup.end()
    expect((await sending).status).toBeLessThan(300)
    await t.send('POST', path, body, asked)
    expect(lookup.count()).toBe(1)
  })

  it.each([
    ['/v2.2/messages', { ...SENT, text: '' }],
    ['/v2.1/messaging/sms/', { ...LEGACY_SENT, messageText: '' }],
    ['/v2.1/messaging/mms/', { ...LEGACY_SENT, messageText: '', mmsURL: '' }],
  ])('by %s without a text asks for no operator', async (path, body) => {
    const lookup = heldLookup()
    await using t = await setUp(lookup)
    lookup.end()
    expect((await t.send('POST', path, body, { key: t.account.secret })).status).toBe(400)
    expect(lookup.count()).toBe(0)
  })

  it('that answers a keyword holds no other write up while an operator is asked for', async () => {
    const lookup = heldLookup()
    await using t = await setUp(lookup)
    const taking = t.take('STOP')
    await lookup.begun
    expect((await t.rest('PUT', '/account', { timezone: 'Europe/Berlin' })).status).toBe(200)
    lookup.end()
    await taking
    expect(dataOf(await t.messagesOf(''))['messages']).toHaveLength(2)
  })

  it('asks for no operator for a number that the account does not hold', async () => {
    const lookup = heldLookup()
    await using t = await setUp(lookup)
    const asked = { key: t.account.secret, headers: { 'idempotency-key': 'once' } }
    const sent = await t.send('POST', '/v2.2/messages', { ...SENT, fromNumber: ABSENT }, asked)
    expect([sent.status, lookup.count()]).toEqual([403, 0])
  })

  it.each([
    ['a number of nobody', { fromNumber: ABSENT }, 403, 405],
    ['an empty text', { text: '' }, 400, 400],
    ['a text that is too long', { text: 'a'.repeat(1_601) }, 400, 400],
    ['no number', { toNumber: '12' }, 400, 400],
    ['a bad URL of a media', { mediaUrls: ['ftp://app.test/a.png'] }, 400, undefined],
  ])('with %s is refused, and leaves nothing', async (_title, change, rest, legacy) => {
    await using t = await setUp()
    const wanted = { ...SENT, ...change }
    expect((await t.rest('POST', '/messages', wanted)).status).toBe(rest)
    const old = {
      source: wanted.fromNumber,
      destination: wanted.toNumber,
      messageText: wanted.text,
    }
    if (legacy !== undefined) expect((await t.legacy('/messaging/sms/', old)).status).toBe(legacy)
    expect(dataOf(await t.messagesOf(''))['messages']).toEqual([])
  })

  it('with media is of the type mms and has one part, in both styles', async () => {
    await using t = await setUp()
    const media = { text: 'é'.repeat(400), mediaUrls: [CAT, CAT], subject: 'Cats' }
    const sent = await t.rest('POST', '/messages', { ...SENT, ...media })
    expect([sent.status, dataOf(sent)]).toMatchObject([201, { type: 'mms', parts: 1 }])
    const ofSid = (sid: unknown) => t.messages.fetch(t.account.sid, String(sid))
    expect(await ofSid(dataOf(sent)['id'])).toMatchObject({ numMedia: 2, subject: 'Cats' })
    const wanted = { ...LEGACY_SENT, mmsSubject: 'A cat', mmsURL: CAT }
    const { status, body } = await t.legacy('/messaging/mms/', wanted)
    const { transaction } = body['message'] as { transaction: Body }
    expect(status).toBe(200)
    const legacy = await ofSid(transaction['transactionGUID'])
    expect(legacy).toMatchObject({ numMedia: 1, subject: 'A cat', body: 'Hello' })
  })

  it('with a bad URL of media is refused with its detail in the legacy style', async () => {
    await using t = await setUp()
    const wanted = { ...LEGACY_SENT, mmsURL: 'ftp://app.test/cat.png' }
    const { status, body } = await t.legacy('/messaging/mms/', wanted)
    expect([status, body['status']]).toEqual([400, 'Error'])
    expect(body['message']).toEqual({
      reason: 'Bad Request',
      detail: expect.stringContaining('ftp://app.test/cat.png') as string,
      result: 'failed',
    })
  })

  it('from a number without a campaign is refused: 409, and 405 in the legacy style', async () => {
    await using t = await setUp()
    t.permit(() => Promise.resolve({ isAllowed: false, reason: 'no-campaign' }))
    const refused = await t.rest('POST', '/messages', SENT)
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining('may not send: it is under no campaign.'),
    ])
    expect((await t.legacy('/messaging/sms/', LEGACY_SENT)).status).toBe(405)
  })

  it('to a recipient who has sent STOP is refused: 409, and 406 in the legacy style', async () => {
    await using t = await setUp()
    await t.take('STOP')
    expect((await t.rest('POST', '/messages', SENT)).status).toBe(409)
    expect((await t.legacy('/messaging/sms/', LEGACY_SENT)).status).toBe(406)
  })

  it('without the money for it is refused: 402 in both styles', async () => {
    await using t = await setUp()
    await t.db.write((tx) => changeAccountRates(tx, t.account.sid, { sms: 100 }, t.clock.now()))
    expect((await t.rest('POST', '/messages', SENT)).status).toBe(402)
    expect((await t.legacy('/messaging/sms/', LEGACY_SENT)).status).toBe(402)
  })

  it('that would wait longer than it is valid is refused: 429, and 422 in the legacy style', async () => {
    await using t = await setUp()
    t.permit(permitAtRate(1))
    expect((await t.rest('POST', '/messages', SENT)).status).toBe(201)
    // The queue of the campaign is eleven hours long; a message is valid for ten.
    const next = { nextAtMicros: (t.clock.now() + 11 * 3_600_000) * 1_000 }
    await t.db.write((tx) => tx.updateTable('message_turns').set(next).execute())
    expect((await t.rest('POST', '/messages', SENT)).status).toBe(429)
    expect((await t.legacy('/messaging/sms/', LEGACY_SENT)).status).toBe(422)
  })
})

describe('the history of a number', () => {
  it('has what was sent and what came in, newest first, in both styles', async () => {
    await using t = await setUp()
    await t.rest('POST', '/messages', SENT)
    t.clock.turn(1_000)
    await t.take('And you')
    const values = [
      { direction: 'in', rate: '0', message: 'And you', number: TO },
      { direction: 'out', rate: '0', message: 'Hello', number: TO },
    ]
    const shown = dataOf(await t.messagesOf(''))
    expect(shown).toMatchObject({ number: FROM, type: 'sms', fromTs: t.seconds() })
    expect(valuesOf(shown['messages'])).toEqual(values)
    const { body } = await t.legacy('/messaging/mdr-sms/', { number: FROM })
    expect(valuesOf(body['mdr'])).toEqual(values)
    expect(body['mdr']).toEqual(shown['messages'])
  })

  it('is cut at a window whose bounds come in either order', async () => {
    await using t = await setUp()
    await t.rest('POST', '/messages', SENT)
    const at = t.seconds()
    t.clock.turn(2 * 86_400_000)
    expect(dataOf(await t.messagesOf(''))['messages']).toEqual([])
    for (const window of [`&from=${at}&to=${at - 9}`, `&from=${at - 9}&to=${at}`])
      expect(dataOf(await t.messagesOf(window))['messages']).toHaveLength(1)
    const legacy = await t.legacy('/messaging/mdr-sms/', { number: FROM })
    expect([legacy.status, legacy.body['mdr']]).toEqual([404, []])
  })

  it('has the reports of what was sent', async () => {
    await using t = await setUp()
    const id = String(dataOf(await t.rest('POST', '/messages', SENT))['id'])
    await t.take('And you')
    const report = {
      sourceNumber: FROM,
      destinationNumber: TO,
      status: 'ENROUTE',
      errorCode: '',
      timestamp: new Date(t.clock.now()).toISOString(),
      transactionGUID: id,
    }
    expect(valuesOf(dataOf(await t.messagesOf('&type=dlr'))['messages'])).toEqual([report])
    const { body } = await t.legacy('/messaging/dlr/', { number: FROM })
    expect(valuesOf(body['dlr'])).toEqual([report])
  })

  it('tells messages with media from texts, in both styles', async () => {
    await using t = await setUp()
    await t.rest('POST', '/messages', SENT)
    await t.rest('POST', '/messages', { ...SENT, text: 'Look', mediaUrls: [CAT] })
    const value = { direction: 'out', rate: '0', message: 'Look', number: TO }
    const shown = dataOf(await t.messagesOf('&type=mms'))['messages']
    expect(valuesOf(shown)).toEqual([value])
    expect(valuesOf(dataOf(await t.messagesOf('&type=sms'))['messages'])).toHaveLength(1)
    const { body } = await t.legacy('/messaging/mdr-mms/', { number: FROM })
    expect(body['mdr']).toEqual(shown)
  })

  it('of a number of another account is refused', async () => {
    await using t = await setUp()
    const other = await t.another('Other')
    const asked = await t.rest('GET', `/messages?number=${FROM}`, undefined, other)
    expect(asked.status).toBe(403)
    for (const report of ['dlr', 'mdr-sms'])
      expect((await t.legacy(`/messaging/${report}/`, { number: FROM }, other)).status).toBe(403)
  })
})

describe('the status of numbers', () => {
  it('is Enabled, with a campaign or without one, until it is disabled', async () => {
    await using t = await setUp()
    const ask = () => t.legacy('/messaging/status/', { numbers: [{ number: FROM }] })
    expect((await ask()).body['numbers']).toEqual([{ number: FROM, status: 'Enabled' }])
    t.permit(() => Promise.resolve({ isAllowed: false, reason: 'no-campaign' }))
    expect((await ask()).body['numbers']).toEqual([{ number: FROM, status: 'Enabled' }])
    const shown = await t.rest('GET', `/numbers/${FROM}/messaging`)
    expect(dataOf(shown)).toMatchObject({ enabled: true, campaign: null })
    await t.legacy('/messaging/disable/', { numbers: [{ number: FROM }] })
    expect((await ask()).body['numbers']).toEqual([{ number: FROM, status: 'Not Enabled' }])
    await t.legacy('/messaging/enable/', { numbers: [{ number: FROM }] })
    expect((await ask()).body['numbers']).toEqual([{ number: FROM, status: 'Enabled' }])
  })

  it('is a 409 with both parts when one is not on the account', async () => {
    await using t = await setUp()
    const numbers = [{ number: FROM }, { number: ABSENT }]
    const { status, body } = await t.legacy('/messaging/status/', { numbers })
    expect(status).toBe(409)
    expect(body).toMatchObject({
      numbers_success: [{ number: FROM, status: 'Enabled' }],
      numbers_fail: [{ number: ABSENT, reason: 'Number not found on account' }],
    })
  })
})
