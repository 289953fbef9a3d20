import { expect, it } from 'vitest'
import { createCredits } from '../../../src/ledger/credits.js'
import { balanceOf } from '../../../src/ledger/ledger.js'
import { listEntries } from '../../../src/ledger/list-entries.js'
import { dollarText, unitsOfDollars } from '../../../src/ledger/money.js'
import type { PaymentStatus } from '../../../src/ledger/payment-status.js'
import { createPayments } from '../../../src/ledger/payments.js'
import {
  createRecurringCharges,
  recurringChargesOf,
  restOfMonth,
} from '../../../src/ledger/recurring-charges.js'
import { type LedgerFixture, ledgerFixture } from '../../support/billing/ledger-fixture.js'

const PAGE = { limit: 50, offset: 0 }
const amountOf = async ({ db }: LedgerFixture) => (await balanceOf(db.read, 'AC1')).amount

it.each([
  [0, 0],
  [12.5, 125_000],
  [0.0175, 175],
  [-0.0001, -1],
  [1.1, 11_000],
  [1_234_567.8901, 12_345_678_901],
  [0.00005, undefined],
  [1.00001, undefined],
  [10_000_000.0001, undefined],
])('reads %d dollars as %s units', (dollars, units) => {
  expect(unitsOfDollars(dollars)).toBe(units)
})

it.each([
  [175, 6, '0.017500'],
  [-175, 4, '-0.0175'],
  [0, 4, '0.0000'],
  [12_345_678, 4, '1234.5678'],
  [-1, 4, '-0.0001'],
])('writes %d units with %d decimals as %s', (units, decimals, text) => {
  expect(dollarText(units, decimals)).toBe(text)
})

it('credits at once, and tells paid credits from unpaid ones', async () => {
  await using fixture = await ledgerFixture()
  const credits = createCredits(fixture)
  const given = { accountSid: 'AC1', description: 'Invoice 1', isPaid: false }
  const open = await credits.give({ ...given, amount: 50_000 })
  await credits.give({ ...given, amount: 70_000, isPaid: true })
  expect(await amountOf(fixture)).toBe(120_000)
  const amounts = async (isPaid?: boolean) =>
    (await credits.list('AC1', { isPaid }, PAGE)).items.map(({ amount }) => amount).sort()
  expect(await amounts(false)).toEqual([50_000])
  expect(await credits.setPaid('AC1', open.sid, true)).toMatchObject({ isPaid: true })
  expect(await credits.setPaid('AC2', open.sid, false)).toBeUndefined()
  expect(await amounts(true)).toEqual([50_000, 70_000])
  expect(await amounts()).toEqual([50_000, 70_000])
  expect(await amountOf(fixture)).toBe(120_000)
})

it.each<[PaymentStatus, PaymentStatus[], number]>([
  ['Completed', [], 100],
  ['Pending', [], 0],
  ['Pending', ['Completed'], 100],
  ['Pending', ['Denied'], 0],
  ['Completed', ['Reversed'], 0],
  ['Completed', ['Reversed', 'Canceled_Reversal'], 100],
  ['Completed', ['Reversed', 'Canceled_Reversal', 'Refunded'], 0],
  ['Completed', ['Completed', 'Completed'], 100],
])('a payment that is %s, then %j, brings %d', async (first, then, expected) => {
  await using fixture = await ledgerFixture()
  const payments = createPayments(fixture)
  const payment = { accountSid: 'AC1', amount: 100, payerEmail: 'a@b.test', transactionId: 'T1' }
  await payments.record({ ...payment, status: first })
  for (const status of then) await payments.record({ ...payment, status })
  expect(await amountOf(fixture)).toBe(expected)
  expect((await payments.list('AC1', PAGE)).items).toMatchObject([
    { status: then.at(-1) ?? first, transactionId: 'T1' },
  ])
  expect(await fixture.faults()).toEqual([])
})

it('counts one transaction once, however often and at once it is told', async () => {
  await using fixture = await ledgerFixture()
  const payments = createPayments(fixture)
  const payment = {
    accountSid: 'AC1',
    amount: 100,
    payerEmail: '',
    transactionId: 'T1',
    status: 'Completed',
  } as const
  await Promise.all(Array.from({ length: 6 }, () => payments.record(payment)))
  expect(await amountOf(fixture)).toBe(100)
  await expect(payments.record({ ...payment, amount: 101 })).rejects.toMatchObject({
    code: 'payment-mismatch',
  })
  await expect(payments.record({ ...payment, status: 'Pending' })).rejects.toMatchObject({
    code: 'payment-status',
  })
  expect(await amountOf(fixture)).toBe(100)
})

it.each([
  [Date.UTC(2026, 10, 1), 30_000, 30_000],
  [Date.UTC(2026, 10, 16, 12), 30_000, 15_000],
  [Date.UTC(2026, 10, 30, 23, 59), 30_000, 1_000],
  [Date.UTC(2026, 11, 31), 10_000, 323],
  [Date.UTC(2028, 1, 29), 29, 1],
])('from %d on, %d for a month is %d', (at, monthly, rest) => {
  expect(restOfMonth(monthly, at)).toBe(rest)
})

it('charges each month once over a year, with a restart and two nodes in it', async () => {
  await using fixture = await ledgerFixture()
  const { db } = fixture
  {
    await using charges = createRecurringCharges(fixture)
    const charge = { accountSid: 'AC1', amount: 10_000, description: 'Number', reference: 'PN1' }
    await db.write((tx) => charges.start(tx, charge))
    expect(await amountOf(fixture)).toBe(-5_000)
    fixture.turnTo(Date.UTC(2027, 3, 10))
    await charges.chargeDue()
    expect(await amountOf(fixture)).toBe(-55_000)
  }
  await using one = createRecurringCharges(fixture)
  await using other = createRecurringCharges(fixture)
  fixture.turnTo(Date.UTC(2027, 10, 16, 12))
  await Promise.all([one.chargeDue(), other.chargeDue(), one.chargeDue()])
  const entries = await listEntries(db.read, 'AC1', { limit: 50 })
  expect(entries.map(({ description }) => description).reverse()).toEqual([
    ...['Number, 2026-11', 'Number, 2026-12', 'Number, 2027-01', 'Number, 2027-02'],
    ...['Number, 2027-03', 'Number, 2027-04', 'Number, 2027-05', 'Number, 2027-06'],
    ...['Number, 2027-07', 'Number, 2027-08', 'Number, 2027-09', 'Number, 2027-10'],
    'Number, 2027-11',
  ])
  expect(await amountOf(fixture)).toBe(-5_000 - 12 * 10_000)
  expect(await fixture.faults()).toEqual([])
})

it('charges nothing after the end of a charge', async () => {
  await using fixture = await ledgerFixture()
  const { db } = fixture
  await using charges = createRecurringCharges(fixture)
  const charge = { accountSid: 'AC1', amount: 10_000, description: 'Number', reference: '' }
  const { sid } = await db.write((tx) => charges.start(tx, charge))
  expect(await db.write((tx) => charges.end(tx, 'AC2', sid))).toBeUndefined()
  expect(await recurringChargesOf(db.read, 'AC1')).toMatchObject([{ sid, amount: 10_000 }])
  await db.write((tx) => charges.end(tx, 'AC1', sid))
  fixture.turnTo(Date.UTC(2027, 3, 10))
  await charges.chargeDue()
  expect(await amountOf(fixture)).toBe(-5_000)
  expect(await recurringChargesOf(db.read, 'AC1')).toEqual([])
})
