import { describe, expect, it } from 'vitest'
import { createAccountApi } from '../../../src/account-api/account-api.js'
import { balanceOf } from '../../../src/ledger/ledger.js'
import { LookupError } from '../../../src/lookups/lookup-provider.js'
import { createLookups } from '../../../src/lookups/lookups.js'
import { changeNumberSettings } from '../../../src/numbers/number-settings.js'
import { DescribedApp } from '../../../src/platform/api/described-app.js'
import { changeAccountRates } from '../../../src/rating/account-rates.js'
import { accountApiFixture } from '../../support/account/account-api-fixture.js'

type Fixture = Awaited<ReturnType<typeof accountApiFixture>>

const NUMBER = '2125550143'
const ROUTE = {
  lrn: '2125550000',
  ocn: '9102',
  lec: 'EXAMPLE TEL',
  lecType: 'RBOC',
  city: 'NEW YORK',
  state: 'NY',
  rateCenter: 'NWYRCYZN01',
  lata: '132',
  local: 'Y',
  jurisdiction: 'INTRASTATE',
}

/** Sets what look-ups cost, in millionths of a dollar, and the balance in 1/10,000 dollar. */
async function charge(t: Fixture, micros: number, balance: number): Promise<void> {
  const { sid } = t.account
  await t.db.write(async (tx) => {
    await changeAccountRates(tx, sid, { cnam: micros, lrn: micros }, 0)
    await t.ledger.post(tx, {
      key: 'test',
      accountSid: sid,
      cause: 'payment',
      reference: '',
      amount: balance,
      description: 'test',
      at: 0,
    })
  })
}

const balance = async (t: Fixture) => (await balanceOf(t.db.read, t.account.sid)).amount

describe('a look-up of a name', () => {
  it('knows the names that accounts of this system have given to their numbers', async () => {
    await using t = await accountApiFixture()
    const held = await t.hold(NUMBER)
    const asked = () => t.rest('GET', `/cnam/${NUMBER}`)
    const none = { status: 'success', data: { number: NUMBER, cnam: 'UNAVAILABLE' } }
    expect((await asked()).body).toEqual(none)
    await t.db.write((tx) => changeNumberSettings(tx, held.sid, { callerName: 'ACME LTD' }, 0))
    const named = { status: 'success', data: { number: NUMBER, cnam: 'ACME LTD' } }
    expect((await asked()).body).toEqual(named)
    expect((await t.rest('GET', `/cnam/1${NUMBER}`)).body).toEqual(named)
    const legacy = await t.legacy('/info/cnam', { cid: Number(NUMBER) })
    expect(legacy.body).toEqual({ statusCode: '200', status: 'Success', cnam: 'ACME LTD' })
  })

  it('is charged once, however often its key repeats', async () => {
    await using t = await accountApiFixture()
    await charge(t, 7_550, 1_000)
    const asked = (key: string) =>
      t.send('GET', `/v2.2/cnam/${NUMBER}`, undefined, {
        key: t.account.secret,
        headers: { 'idempotency-key': key },
      })
    const [first, again] = [await asked('one'), await asked('one')]
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    // 0.00755 dollars are rounded up to 76 of 1/10,000.
    expect(await balance(t)).toBe(1_000 - 76)
    await asked('two')
    expect(await balance(t)).toBe(1_000 - 2 * 76)
  })

  it('is answered again under its key when the balance is spent and the provider away', async () => {
    await using t = await accountApiFixture()
    await charge(t, 7_550, 100)
    const headers = { 'idempotency-key': 'one' }
    const asked = (path: string) =>
      t.send('GET', path, undefined, { key: t.account.secret, headers })
    const first = await asked(`/v2.2/cnam/${NUMBER}`)
    expect(first.status).toBe(200)
    t.lookupProvider.callerName = () => Promise.reject(new LookupError('it is away'))
    const again = await asked(`/v2.2/cnam/${NUMBER}`)
    expect([again.status, again.body]).toEqual([200, first.body])
    expect((await asked('/v2.2/cnam/2125550199')).status).toBe(409)
    expect(await balance(t)).toBe(24)
  })

  it.each<[string, string, string, unknown]>([
    ['of the REST style', 'GET', `/v2.2/cnam/${NUMBER}`, undefined],
    ['of the legacy style', 'POST', '/v2.1/info/cnam', { cid: NUMBER }],
  ])('%s is charged once when two are sent at once with one key', async (_style, method, path, body) => {
    await using t = await accountApiFixture()
    await charge(t, 7_550, 1_000)
    // Both are at the provider before either key is stored.
    const waiting: (() => void)[] = []
    t.lookupProvider.callerName = () =>
      new Promise((resolve) => {
        waiting.push(() => {
          resolve(undefined)
        })
        if (waiting.length === 2) for (const answer of waiting) answer()
      })
    // Another server beside the first: it shares nothing with it but the database.
    const other = new DescribedApp()
    createAccountApi(t.deps)(other)
    const init = {
      method,
      headers: {
        authorization: `Bearer ${t.account.secret}`,
        'content-type': 'application/json',
        'idempotency-key': 'one',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    const answers = await Promise.all([t.app.request(path, init), other.request(path, init)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const [first, second] = await Promise.all(answers.map((answer) => answer.text()))
    expect(second).toBe(first)
    expect(await balance(t)).toBe(1_000 - 76)
  })

  it('is 402 when the balance does not pay for it, and nobody is asked', async () => {
    await using t = await accountApiFixture()
    await charge(t, 10_000, 99)
    t.lookupProvider.callerName = () => Promise.reject(new Error('asked for nothing'))
    const answer = await t.rest('GET', `/cnam/${NUMBER}`)
    expect(answer.body).toMatchObject({ status: 'error', error: { code: 402 } })
    const legacy = await t.legacy('/info/cnam', { cid: NUMBER })
    expect(legacy.body).toMatchObject({ statusCode: '402', status: 'Error' })
    expect(await balance(t)).toBe(99)
  })

  it('is 502 and costs nothing when the provider is away', async () => {
    await using t = await accountApiFixture()
    await charge(t, 10_000, 500)
    t.lookupProvider.callerName = () => Promise.reject(new LookupError('it is away'))
    const answer = await t.rest('GET', `/cnam/${NUMBER}`)
    expect(answer.body).toEqual({ status: 'error', error: { code: 502, message: 'it is away' } })
    expect(await balance(t)).toBe(500)
  })

  it.each([
    '212555014',
    '0125550143',
    'abc',
    '22125550143',
    '+4598765432',
  ])('has no number %s', async (number) => {
    await using t = await accountApiFixture()
    expect((await t.rest('GET', `/cnam/${number}`)).body).toMatchObject({
      error: { code: 400, message: expect.stringMatching(/^number: /) as string },
    })
    expect((await t.legacy('/info/cnam', { cid: number })).body).toMatchObject({
      statusCode: '400',
      message: expect.stringMatching(/^cid: /) as string,
    })
  })
})

describe('a look-up of a route', () => {
  it('answers every field, in both styles', async () => {
    await using t = await accountApiFixture()
    t.lookupProvider.route = () => Promise.resolve(ROUTE)
    const { rateCenter: rc, ...other } = ROUTE
    const answer = await t.rest('GET', `/lrn/${NUMBER}/2125550199`)
    expect(answer.body).toEqual({
      status: 'success',
      data: { destination: NUMBER, ani: '2125550199', lrn: { ...other, rc } },
    })
    const legacy = await t.legacy('/info/lrn/', { dst: Number(NUMBER), cid: 2_125_550_199 })
    expect(legacy.body).toEqual({
      statusCode: '200',
      status: 'Success',
      lrn: {
        LRN: ROUTE.lrn,
        OCN: ROUTE.ocn,
        LEC: ROUTE.lec,
        LECTYPE: ROUTE.lecType,
        CITY: ROUTE.city,
        STATE: ROUTE.state,
        RC: ROUTE.rateCenter,
        LATA: ROUTE.lata,
        LOCAL: 'Y',
        JURISDICTION: 'INTRASTATE',
      },
    })
  })

  it('takes every number as not ported where nobody is asked', async () => {
    await using t = await accountApiFixture()
    const answer = await t.rest('GET', `/lrn/${NUMBER}/2125550199`)
    expect(answer.body).toMatchObject({
      data: { lrn: { lrn: NUMBER, local: 'N', jurisdiction: 'INDETERMINATE' } },
    })
  })

  it('is charged', async () => {
    await using t = await accountApiFixture()
    await charge(t, 10_000, 500)
    await t.legacy('/info/lrn/', { dst: NUMBER, cid: '2125550199' })
    expect(await balance(t)).toBe(400)
  })
})

describe("the name of a call's caller", () => {
  const call = { sid: 'CA1', from: `+1${NUMBER}` }

  it('is charged once, however often the call asks', async () => {
    await using t = await accountApiFixture()
    await charge(t, 10_000, 500)
    t.lookupProvider.callerName = () => Promise.resolve('ACME LTD')
    const asked = () => t.deps.lookups.callerNameFor({ ...call, accountSid: t.account.sid })
    expect(await asked()).toBe('ACME LTD')
    expect(await asked()).toBe('ACME LTD')
    expect(await balance(t)).toBe(400)
  })

  it('costs nothing when it is not known in time, or the balance does not pay for it', async () => {
    await using t = await accountApiFixture()
    await charge(t, 10_000, 500)
    const { db, clock } = t
    const silent = {
      ...t.lookupProvider,
      callerName: () => new Promise<undefined>(() => undefined),
    }
    const late = createLookups({
      db,
      clock,
      ledger: t.ledger,
      provider: silent,
      callerNameLimitMs: 1,
    })
    const ours = { ...call, accountSid: t.account.sid }
    expect(await late.callerNameFor(ours)).toBeUndefined()
    expect(await balance(t)).toBe(500)
    t.lookupProvider.callerName = () => Promise.resolve('ACME LTD')
    const poor = await t.another('Poor')
    await t.db.write((tx) => changeAccountRates(tx, poor.sid, { cnam: 10_000 }, 0))
    expect(await t.deps.lookups.callerNameFor({ ...ours, accountSid: poor.sid })).toBeUndefined()
  })
})
