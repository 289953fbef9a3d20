import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Body, type Form, setUpApi } from '../../../support/voice/api-fixture.js'

type Api = Awaited<ReturnType<typeof setUpApi>>

const FROM = '+12025550111'
const TO = '+13035550142'
const ABSENT = `SM${'0'.repeat(32)}`

let bench: Api
beforeAll(async () => {
  bench = await setUpApi()
  await bench.numbers.assign(bench.account.sid, FROM, {})
})
afterAll(() => bench[Symbol.asyncDispose]())

const send = (form: Record<string, string> = {}) =>
  bench.api('POST', '/Messages.json', { To: TO, From: FROM, Body: 'Hello', ...form })
const sidOf = async (form?: Record<string, string>) => String((await send(form)).body['sid'])
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

it('sends a message and answers with every field', async () => {
  const { status, body } = await send({ Body: `${'a'.repeat(160)}€` })
  expect(status).toBe(201)
  const { sid } = bench.account
  expect(body).toEqual({
    sid: expect.stringMatching(/^SM[0-9a-f]{32}$/) as string,
    account_sid: sid,
    api_version: '2010-04-01',
    body: `${'a'.repeat(160)}€`,
    direction: 'outbound-api',
    from: FROM,
    to: TO,
    status: 'queued',
    num_segments: '2',
    num_media: '0',
    messaging_service_sid: null,
    error_code: null,
    error_message: null,
    price: null,
    price_unit: 'USD',
    date_created: expect.stringMatching(/ \+0000$/) as string,
    date_sent: null,
    date_updated: expect.stringMatching(/ \+0000$/) as string,
    uri: `/2010-04-01/Accounts/${sid}/Messages/${String(body['sid'])}.json`,
    subresource_uris: {
      media: `/2010-04-01/Accounts/${sid}/Messages/${String(body['sid'])}/Media.json`,
    },
  })
  const fetched = await bench.api('GET', `/Messages/${String(body['sid'])}.json`)
  expect(fetched).toMatchObject({ status: 200, body })
})

it('lists messages by their numbers, the newest first, a page at a time', async () => {
  const other = await bench.accounts.create({ friendlyName: 'other' })
  const to = '+13035550177'
  const sids: string[] = []
  for (let count = 0; count < 3; count += 1) sids.unshift(await sidOf({ To: to }))
  const path = `/Messages.json?To=${encodeURIComponent(to)}&PageSize=2`
  const first = await bench.api('GET', path)
  const listed = (body: Body) => (body['messages'] as Body[]).map((each) => each['sid'])
  // Messages of one millisecond have no order among each other.
  expect(first.body).toMatchObject({ total: 3, page: 0, page_size: 2 })
  const next = String(first.body['next_page_uri']).replace(/^.*(\/Messages)/, '$1')
  const second = await bench.api('GET', next)
  expect(new Set([...listed(first.body), ...listed(second.body)])).toEqual(new Set(sids))
  const unsent = await bench.api('GET', `${path}&DateSent=2020-01-01`)
  expect(unsent.body['messages']).toEqual([])
  expect((await bench.as(other)('GET', '/Messages.json')).body['messages']).toEqual([])
})

describe('a message that cannot be sent', () => {
  it.each<[number, number, Record<string, string>]>([
    [400, 21211, { To: 'nobody' }],
    [400, 21212, { From: 'nobody' }],
    [400, 21602, { Body: '' }],
    [400, 21603, { From: '' }],
    [400, 21606, { From: '+12025550198' }],
    [400, 21609, { StatusCallback: 'ftp://app.test' }],
    [400, 21617, { Body: 'a'.repeat(1_601) }],
    [400, 21617, { Body: '😀'.repeat(1_601) }],
    [400, 21620, { MediaUrl: 'ftp://app.test/cat.png' }],
    [400, 21705, { MessagingServiceSid: `MG${'0'.repeat(32)}` }],
    [400, 21218, { ApplicationSid: `AP${'0'.repeat(32)}` }],
    [400, 20422, { ValidityPeriod: '36001' }],
    [400, 35117, { SendAt: '2030-01-01T00:00:00Z' }],
    [400, 35117, { ScheduleType: 'fixed' }],
    [400, 35114, { ScheduleType: 'fixed', SendAt: 'tomorrow' }],
    [400, 35114, { ScheduleType: 'fixed', SendAt: '2020-01-01T00:00:00Z' }],
  ])('is answered with %i and %i: %j', async (status, code, form) => {
    expect(await send(form)).toMatchObject({ status, body: { code, status } })
  })

  it('names the missing To (21604)', async () => {
    const answer = await bench.api('POST', '/Messages.json', { From: FROM, Body: 'Hello' })
    expect(answer).toMatchObject({ status: 400, body: { code: 21604 } })
  })
})

it('is valid for as long as the client libraries say', async () => {
  expect(await send({ ValidityPeriod: '36000' })).toMatchObject({ status: 201 })
})

it('has up to 1,600 characters, of which an emoji is one', async () => {
  expect(await send({ Body: '😀'.repeat(1_600) })).toMatchObject({ status: 201 })
})

it('schedules a message and cancels it once (30409)', async () => {
  const sid = await sidOf({ ScheduleType: 'fixed', SendAt: inHours(1) })
  const cancel: Form = { Status: 'canceled' }
  const canceled = await bench.api('POST', `/Messages/${sid}.json`, cancel)
  expect(canceled).toMatchObject({ status: 200, body: { status: 'canceled' } })
  const again = await bench.api('POST', `/Messages/${sid}.json`, cancel)
  expect(again).toMatchObject({ status: 409, body: { code: 30409 } })
  const redacted = await bench.api('POST', `/Messages/${sid}.json`, { Body: '' })
  expect(redacted).toMatchObject({ status: 200, body: { body: '' } })
  expect((await bench.api('DELETE', `/Messages/${sid}.json`)).status).toBe(204)
  expect((await bench.api('GET', `/Messages/${sid}.json`)).status).toBe(404)
})

it('keeps the text of a message that waits (20009)', async () => {
  const sid = await sidOf({ ScheduleType: 'fixed', SendAt: inHours(1) })
  const redacted = await bench.api('POST', `/Messages/${sid}.json`, { Body: '' })
  expect(redacted).toMatchObject({ status: 409, body: { code: 20009 } })
  const deleted = await bench.api('DELETE', `/Messages/${sid}.json`)
  expect(deleted).toMatchObject({ status: 409, body: { code: 20009 } })
  const changed = await bench.api('POST', `/Messages/${sid}.json`, { Body: 'another' })
  expect(changed).toMatchObject({ status: 400, body: { code: 20422 } })
})

it('has no media', async () => {
  const sid = await sidOf()
  const media = await bench.api('GET', `/Messages/${sid}/Media.json`)
  expect(media).toMatchObject({ status: 200, body: { media_list: [], total: 0 } })
  const one = `/Messages/${sid}/Media/ME${'0'.repeat(32)}.json`
  expect((await bench.api('GET', one)).status).toBe(404)
  expect((await bench.api('DELETE', one)).status).toBe(404)
  expect((await bench.api('GET', `/Messages/${ABSENT}/Media.json`)).status).toBe(404)
})

it('shows the media of a message, leads to their bytes, and deletes them', async () => {
  const sent = await send({ Body: '', MediaUrl: 'https://app.test/cat.png' })
  const sid = String(sent.body['sid'])
  expect(sent).toMatchObject({ status: 201, body: { num_media: '1', num_segments: '1', body: '' } })
  expect(sid).toMatch(/^MM/)
  const list = () => bench.api('GET', `/Messages/${sid}/Media.json`)
  // It is listed once it was fetched.
  expect((await list()).body).toMatchObject({ media_list: [], total: 0 })
  const file = { file: 'message-media/a', contentType: 'image/png', bytes: 3 }
  await bench.db.write((tx) =>
    tx.updateTable('message_media').set(file).where('messageSid', '=', sid).execute(),
  )
  const [media] = (await list()).body['media_list'] as [Body]
  const path = `/Messages/${sid}/Media/${String(media['sid'])}`
  expect(media).toEqual({
    sid: expect.stringMatching(/^ME[0-9a-f]{32}$/) as string,
    account_sid: bench.account.sid,
    parent_sid: sid,
    content_type: 'image/png',
    date_created: expect.stringMatching(/ \+0000$/) as string,
    date_updated: expect.stringMatching(/ \+0000$/) as string,
    uri: `/2010-04-01/Accounts/${bench.account.sid}${path}.json`,
  })
  expect((await bench.api('GET', `${path}.json`)).body).toEqual(media)
  const made = new Date(String(media['date_created'])).toISOString()
  const filtered = async (query: string) =>
    (await bench.api('GET', `/Messages/${sid}/Media.json?${query}`)).body['total']
  expect(await filtered(`DateCreated=${made.slice(0, 10)}`)).toBe(1)
  expect(await filtered(`DateCreated=${made}`)).toBe(1)
  expect(await filtered('DateCreated<=2020-01-01')).toBe(0)
  expect(await filtered('DateCreated>=2100-01-01')).toBe(0)
  const { sid: account, secret } = bench.account
  const authorization = `Basic ${Buffer.from(`${account}:${secret}`).toString('base64')}`
  const whole = `/2010-04-01/Accounts/${account}${path}`
  const bytes = await bench.app.request(whole, { headers: { authorization } })
  expect([bytes.status, bytes.headers.get('location')]).toEqual([
    307,
    expect.stringMatching(/^http:\/\/trunkline\.test\/files\//) as string,
  ])
  expect((await bench.app.request(whole)).status).toBe(401)
  expect((await bench.api('DELETE', `${path}.json`)).status).toBe(204)
  expect((await bench.api('GET', `${path}.json`)).status).toBe(404)
  expect((await bench.api('GET', `/Messages/${sid}.json`)).body).toMatchObject({ num_media: '0' })
})

it('reports to the application of the request, else to that of the number', async () => {
  const { account, applications, numbers, db } = bench
  const [ofRequest, ofNumber] = await Promise.all(
    ['request', 'number'].map((name) =>
      applications.create(account.sid, { messageStatusCallback: `http://app.test/${name}` }),
    ),
  )
  const number = await numbers.assign(account.sid, '+12025550112', {
    smsApplicationSid: ofNumber?.sid,
  })
  const from = { From: number.number.e164 }
  const callbackOf = async (form: Record<string, string>) => {
    const sid = await sidOf(form)
    const row = db.read.selectFrom('messages').select('statusCallback').where('sid', '=', sid)
    return (await row.executeTakeFirstOrThrow()).statusCallback
  }
  expect(await callbackOf(from)).toBe('http://app.test/number')
  const named = { ...from, ApplicationSid: String(ofRequest?.sid) }
  expect(await callbackOf(named)).toBe('http://app.test/request')
  const own = { ...named, StatusCallback: 'http://app.test/own' }
  expect(await callbackOf(own)).toBe('http://app.test/own')
})
