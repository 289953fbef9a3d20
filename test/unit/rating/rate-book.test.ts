import { expect, it } from 'vitest'
import { changeAccountRates, ratesInDollars } from '../../../src/rating/account-rates.js'
import { createRateBook, type RatedCall } from '../../../src/rating/rate-book.js'
import { listRates, type PrefixRate, putRates, removeRate } from '../../../src/rating/rates.js'
import { ledgerFixture } from '../../support/billing/ledger-fixture.js'

const prefixRate = (prefix: string, perMinute: number, more: Partial<PrefixRate> = {}) => ({
  accountSid: '',
  direction: 'outbound' as const,
  prefix,
  perMinute,
  minimumSeconds: 6,
  incrementSeconds: 6,
  description: '',
  ...more,
})

async function setUp(rates: readonly PrefixRate[]) {
  const fixture = await ledgerFixture()
  await fixture.db.write((tx) => putRates(tx, rates, 1))
  const book = createRateBook(fixture)
  const perMinute = async (number: string, more: Partial<RatedCall> = {}) => {
    const verdict = await book.judge({ accountSid: 'AC1', direction: 'outbound', number, ...more })
    return verdict.type === 'rated' ? verdict.terms.perMinute : verdict.type
  }
  return {
    ...fixture,
    book,
    perMinute,
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  }
}

it('takes the longest prefix, and the account’s own rate of one prefix', async () => {
  await using fixture = await setUp([
    prefixRate('+', 500_000),
    prefixRate('+1', 10_000),
    prefixRate('+1', 8_000, { accountSid: 'AC1' }),
    prefixRate('+1415', 12_000),
    prefixRate('+1', 3_000, { direction: 'inbound' }),
  ])
  const { perMinute } = fixture
  expect(await perMinute('+12125550100')).toBe(8_000)
  expect(await perMinute('+12125550100', { accountSid: 'AC2' })).toBe(10_000)
  expect(await perMinute('+14155550100')).toBe(12_000)
  expect(await perMinute('+442071838750')).toBe(500_000)
  expect(await perMinute('+12125550100', { direction: 'inbound' })).toBe(3_000)
  expect(await perMinute('+442071838750', { direction: 'inbound' })).toBe('free')
})

it('rates neither SIP addresses, nor applications, nor emergency numbers', async () => {
  await using fixture = await setUp([prefixRate('+', 500_000)])
  const numbers = ['sip:a@b.test', `AP${'0'.repeat(32)}`, '911', '+1911', '+911', 'alice']
  for (const number of numbers) expect(await fixture.perMinute(number)).toBe('free')
})

it('sees the first rate at once in its own process, and soon in others', async () => {
  await using fixture = await setUp([])
  const { book, db, perMinute, clock } = fixture
  expect(await perMinute('+12125550100')).toBe('free')
  await db.write((tx) => putRates(tx, [prefixRate('+1', 10_000)], 1))
  expect(await perMinute('+12125550100')).toBe('free')
  fixture.turnTo(clock.now() + 2_000)
  expect(await perMinute('+12125550100')).toBe(10_000)
  await db.write((tx) => removeRate(tx, prefixRate('+1', 0)))
  book.changed()
  expect(await perMinute('+12125550100')).toBe('free')
})

it('obeys the rate fields of the account', async () => {
  await using fixture = await setUp([prefixRate('+44', 90_000)])
  const { db, book, perMinute } = fixture
  const change = { nibble: 25_000, tfAdj: 5_000, intlMax: 80_000 }
  const changed = await db.write((tx) => changeAccountRates(tx, 'AC1', change, 1))
  book.changed()
  expect(changed).toMatchObject({ nibble: 25_000, fax: undefined })
  expect(await perMinute('+12125550100')).toBe(25_000)
  expect(await perMinute('+12125550100', { accountSid: 'AC2' })).toBe('free')
  expect(await perMinute('+18005550100', { direction: 'inbound' })).toBe(30_000)
  expect(await perMinute('+18005550100')).toBe(25_000)
  expect(await perMinute('+442071838750')).toBe('too-expensive')
  expect(await perMinute('+33123456789')).toBe(25_000)
  const cleared = await db.write((tx) => changeAccountRates(tx, 'AC1', { intlMax: null }, 2))
  expect(await perMinute('+442071838750')).toBe(90_000)
  expect(ratesInDollars(cleared)).toEqual({
    ...{ fax: 0, sms: 0, mms: 0, tfAdj: 0.005, lrn: 0 },
    ...{ nibble: 0.025, did: 0, cnam: 0, intlMax: 0 },
  })
})

it('replaces a rate, and lists rates in pages', async () => {
  await using fixture = await setUp([prefixRate('+1', 1), prefixRate('+2', 2), prefixRate('+3', 3)])
  const { db } = fixture
  await db.write((tx) => putRates(tx, [prefixRate('+2', 22)], 2))
  const first = await listRates(db.read, '', { limit: 2 })
  const rest = await listRates(db.read, '', { limit: 2, after: first[1] })
  expect([...first, ...rest].map(({ perMinute }) => perMinute)).toEqual([1, 22, 3])
})
