import { expect, it } from 'vitest'
import { createAdminApi } from '../../../src/admin/admin-api.js'
import { createLogger } from '../../../src/platform/log.js'
import { setUpCalls } from '../../support/voice/calls-fixture.js'

const TOKEN = 'f'.repeat(32)

/** The private listener with a real ledger. */
async function setUp() {
  const bench = await setUpCalls()
  const log = createLogger('silent')
  const admin = createAdminApi({
    ...bench,
    version: '0.0.0',
    parts: [],
    token: TOKEN,
    metrics: () => Promise.resolve(''),
    log,
  })
  const send = async (method: string, path: string, body?: string) => {
    const answer = await admin.request(path, {
      method,
      headers: { authorization: `Bearer ${TOKEN}` },
      ...(body === undefined ? {} : { body }),
    })
    const text = await answer.text()
    const content = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
    return { status: answer.status, body: content }
  }
  const request = (method: string, path: string, body?: unknown) =>
    send(method, path, body === undefined ? undefined : JSON.stringify(body))
  return {
    ...bench,
    path: `/accounts/${bench.account.sid}`,
    send,
    request,
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  }
}

it('shows the balance with its entries, the newest first, a page at a time', async () => {
  await using t = await setUp()
  for (const amount of [10, -2.5, 0.0001])
    expect((await t.request('POST', `${t.path}/adjustments`, { amount })).status).toBe(201)
  expect((await t.request('GET', `${t.path}/balance`)).body).toEqual({
    balance: 7.5001,
    reserved: 0,
    available: 7.5001,
    billedTo: t.account.sid,
  })
  const first = await t.request('GET', `${t.path}/ledger?limit=2`)
  const rest = await t.request(
    'GET',
    `${t.path}/ledger?limit=2&after=${String(first.body['next'])}`,
  )
  const entries = [first, rest].flatMap(({ body }) => body['entries'] as { amount: number }[])
  expect(entries.map(({ amount }) => amount)).toEqual([0.0001, -2.5, 10])
  expect(rest.body['next']).toBeNull()
  expect((await t.request('GET', '/ledger/check')).body).toEqual({ faults: [] })
})

it('stores an adjustment of one reference once', async () => {
  await using t = await setUp()
  const body = { amount: 5, reference: 'gift' }
  expect((await t.request('POST', `${t.path}/adjustments`, body)).status).toBe(201)
  expect((await t.request('POST', `${t.path}/adjustments`, body)).status).toBe(409)
  expect((await t.request('GET', `${t.path}/balance`)).body).toMatchObject({ balance: 5 })
})

it.each([
  ['adjustments', { amount: 0.00001 }],
  ['adjustments', { amount: 0 }],
  ['adjustments', { amount: 'x' }],
  ['adjustments', { amount: 1, description: 'a\0b' }],
  ['credits', { amount: -1 }],
  ['credits', {}],
  ['payments', { amount: 1 }],
  ['payments', { amount: 1, transactionId: 'T', status: 'Lost' }],
  ['recurring-charges', { amount: 0 }],
])('refuses %s of %j, and changes nothing', async (kind, body) => {
  await using t = await setUp()
  expect((await t.request('POST', `${t.path}/${kind}`, body)).status).toBe(400)
  expect((await t.request('GET', `${t.path}/ledger`)).body).toMatchObject({ entries: [] })
})

it.each([
  'balance',
  'ledger',
  'credits',
  'payments',
  'recurring-charges',
  'rates',
])('knows no %s of an account that does not exist', async (what) => {
  await using t = await setUp()
  const answer = await t.request('GET', `/accounts/AC${'0'.repeat(32)}/${what}`)
  expect(answer.status).toBe(404)
})

it('takes credits, payments and recurring charges', async () => {
  await using t = await setUp()
  const credit = await t.request('POST', `${t.path}/credits`, { amount: 50 })
  expect(credit.body).toMatchObject({ amount: 50, paid: false, paidAt: null })
  const creditPath = `${t.path}/credits/${String(credit.body['sid'])}`
  expect((await t.request('PATCH', creditPath, { paid: true })).body).toMatchObject({ paid: true })
  const payment = { amount: 20, transactionId: 'T-1', payerEmail: 'a@b.test' }
  const paid = await t.request('POST', `${t.path}/payments`, payment)
  expect(paid.body).toMatchObject({ ...payment, status: 'Completed' })
  expect((await t.request('POST', `${t.path}/payments`, payment)).status).toBe(201)
  expect((await t.request('GET', `${t.path}/balance`)).body).toMatchObject({ balance: 70 })
  const paymentPath = `${t.path}/payments/${String(paid.body['sid'])}`
  expect((await t.request('PATCH', paymentPath, { status: 'Pending' })).status).toBe(409)
  expect((await t.request('PATCH', paymentPath, { status: 'Refunded' })).status).toBe(200)
  expect((await t.request('GET', `${t.path}/balance`)).body).toMatchObject({ balance: 50 })
  const charge = { amount: 31, description: 'Number' }
  const begun = await t.request('POST', `${t.path}/recurring-charges`, charge)
  expect(begun.status).toBe(201)
  const chargePath = `${t.path}/recurring-charges/${String(begun.body['sid'])}`
  expect((await t.request('GET', `${t.path}/recurring-charges`)).body['charges']).toHaveLength(1)
  expect((await t.request('DELETE', chargePath)).status).toBe(204)
  expect((await t.request('GET', `${t.path}/recurring-charges`)).body['charges']).toEqual([])
  expect((await t.request('DELETE', `${t.path}/recurring-charges/RC1`)).status).toBe(404)
})

it('imports rates, reports what it refused, and calls obey them at once', async () => {
  await using t = await setUp()
  const csv = [
    'prefix,rate,direction,account,minimum,increment,description',
    '+1,0.01,,,,,"North America, all"',
    `1415,0.0049,outbound,${t.account.sid},30,6,San Francisco`,
    '+1,0.002,inbound,,,,',
    '+1,0.02,,,,,twice',
    '+1x,0.01,,,,,',
    '+2,0.1234567,,,,,',
    '+3,-1,,,,,',
    '+4,1,sideways,,,,',
    '+5,1,,AC1,,,',
    '+6,1,,,,0,',
    '+7,1001,,,,,',
  ].join('\n')
  const report = await t.send('POST', '/rates/imports', csv)
  expect(report.status).toBe(201)
  expect(report.body).toMatchObject({ status: 'completed', added: 3, changed: 0, refused: 8 })
  const refused = report.body['refusedRows'] as { line: number; reason: string }[]
  expect(refused.map(({ line }) => line)).toEqual([5, 6, 7, 8, 9, 10, 11, 12])
  expect((await t.request('GET', '/rates')).body).toEqual({
    rates: [
      {
        accountSid: '',
        direction: 'inbound',
        prefix: '+1',
        rate: 0.002,
        minimum: 6,
        increment: 6,
        description: '',
      },
      {
        accountSid: '',
        direction: 'outbound',
        prefix: '+1',
        rate: 0.01,
        minimum: 6,
        increment: 6,
        description: 'North America, all',
      },
    ],
    next: null,
  })
  const own = await t.request('GET', `/rates?accountSid=${t.account.sid}`)
  expect(own.body).toMatchObject({ rates: [{ prefix: '+1415', rate: 0.0049, minimum: 30 }] })
  const verdict = await t.rateBook.judge({
    accountSid: t.account.sid,
    direction: 'outbound',
    number: '+14155550100',
  })
  expect(verdict).toMatchObject({ type: 'rated', terms: { perMinute: 4_900 } })
  const again = await t.send('POST', '/rates/imports', csv)
  expect(again.body).toMatchObject({ added: 0, changed: 3 })
  expect((await t.request('GET', '/rates/imports')).body['imports']).toHaveLength(2)
  expect((await t.request('DELETE', '/rates/inbound/%2B1')).status).toBe(204)
  expect((await t.request('DELETE', '/rates/inbound/%2B1')).status).toBe(404)
  expect((await t.request('DELETE', '/rates/sideways/%2B1')).status).toBe(404)
})

it('keeps imports of rates and of inventory apart', async () => {
  await using t = await setUp()
  await t.send('POST', '/rates/imports', 'prefix,rate\n+1,0.01')
  expect((await t.request('GET', '/inventory/imports')).body).toEqual({ imports: [] })
  const failed = await t.send('POST', '/rates/imports', 'number\n+1')
  expect(failed).toMatchObject({ status: 422, body: { status: 'failed', added: 0 } })
})

it('changes the rate fields of an account, and clears them', async () => {
  await using t = await setUp()
  const changed = await t.request('PATCH', `${t.path}/rates`, { nibble: 0.0125, did: 1 })
  expect(changed.body).toMatchObject({ nibble: 0.0125, did: 1, sms: null })
  const cleared = await t.request('PATCH', `${t.path}/rates`, { nibble: null })
  expect(cleared.body).toMatchObject({ nibble: null, did: 1 })
  expect((await t.request('PATCH', `${t.path}/rates`, { nibbles: 1 })).status).toBe(400)
  expect((await t.request('PATCH', `${t.path}/rates`, { sms: -1 })).status).toBe(400)
})

it('imports rates by the username of an account, and refuses one that nobody has', async () => {
  await using t = await setUp()
  const { username } = t.account.profile
  const csv = [
    'prefix,rate,account',
    `+1,0.01,${username}`,
    `+2,0.02,${t.account.sid}`,
    `+1,0.03,${t.account.sid}`,
    '+3,0.01,1999999999',
    '+4,0.01,12345',
  ].join('\n')
  const report = await t.send('POST', '/rates/imports', csv)
  expect(report.body).toMatchObject({ status: 'completed', added: 2, changed: 0, refused: 3 })
  const refused = report.body['refusedRows'] as { line: number; reason: string }[]
  expect(refused.map(({ line, reason }) => [line, reason])).toEqual([
    [4, 'the rate is in the file twice'],
    [5, 'there is no account 1999999999'],
    [6, 'account is neither AC and 32 hex digits nor a username of ten digits'],
  ])
  const own = await t.request('GET', `/rates?accountSid=${t.account.sid}`)
  expect(own.body).toMatchObject({
    rates: [
      { accountSid: t.account.sid, prefix: '+1', rate: 0.01 },
      { accountSid: t.account.sid, prefix: '+2', rate: 0.02 },
    ],
  })
})

it('changes the rates of everybody, beside those of an account', async () => {
  await using t = await setUp()
  expect((await t.request('GET', '/rates/default')).body).toEqual({
    recording: null,
    transcription: null,
  })
  const changed = await t.request('PATCH', '/rates/default', { recording: 0.0025 })
  expect(changed).toEqual({ status: 200, body: { recording: 0.0025, transcription: null } })
  await t.request('PATCH', `${t.path}/rates`, { recording: 0, transcription: 0.05 })
  const own = await t.request('GET', `${t.path}/rates`)
  expect(own.body).toMatchObject({ recording: 0, transcription: 0.05, nibble: null })
  expect((await t.request('GET', '/rates/default')).body).toEqual(changed.body)
  const cleared = await t.request('PATCH', '/rates/default', { recording: null })
  expect(cleared.body).toEqual({ recording: null, transcription: null })
})

it.each([
  { nibble: 1 },
  { recording: -1 },
  { recording: 1_001 },
  { transcription: '1' },
])('refuses %j as rates of everybody', async (body) => {
  await using t = await setUp()
  expect((await t.request('PATCH', '/rates/default', body)).status).toBe(400)
})
