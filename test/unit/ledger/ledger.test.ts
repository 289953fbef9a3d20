import { expect, it } from 'vitest'
import { balanceOf } from '../../../src/ledger/ledger.js'
import { listEntries } from '../../../src/ledger/list-entries.js'
import { type LedgerFixture, ledgerFixture } from '../../support/billing/ledger-fixture.js'

const amountOf = async ({ db }: LedgerFixture, sid = 'AC1') =>
  (await balanceOf(db.read, sid)).amount

it('keeps the balance of each account as the sum of its entries', async () => {
  await using fixture = await ledgerFixture()
  await fixture.post({ amount: 100_000 })
  await fixture.post({ amount: -175 })
  await fixture.post({ amount: 7, accountSid: 'AC2' })
  expect(await amountOf(fixture)).toBe(99_825)
  expect(await amountOf(fixture, 'AC2')).toBe(7)
  expect(await amountOf(fixture, 'AC3')).toBe(0)
  expect(await fixture.faults()).toEqual([])
})

it('charges what has one key once, however many ask at once', async () => {
  await using fixture = await ledgerFixture()
  const asked = Array.from({ length: 8 }, () => fixture.post({ key: 'call:CA1', amount: -500 }))
  const stored = await Promise.all(asked)
  expect(stored.filter(Boolean)).toHaveLength(1)
  expect(await amountOf(fixture)).toBe(-500)
  expect(await listEntries(fixture.db.read, 'AC1', { limit: 10 })).toHaveLength(1)
})

it('keeps neither an entry nor a balance of a transaction that fails', async () => {
  await using fixture = await ledgerFixture()
  const { db, ledger } = fixture
  const entry = {
    key: 'k',
    accountSid: 'AC1',
    cause: 'number',
    reference: '',
    amount: -5,
    description: '',
    at: 1,
  } as const
  const failing = db.write(async (tx) => {
    await ledger.post(tx, entry)
    throw new Error('after the entry')
  })
  await expect(failing).rejects.toThrow('after the entry')
  expect(await amountOf(fixture)).toBe(0)
  expect(await fixture.post({ key: 'k', amount: -5 })).toBe(true)
})

it('adds up when many accounts are charged at once', async () => {
  await using fixture = await ledgerFixture()
  const asked = Array.from({ length: 60 }, (_, index) =>
    fixture.post({ accountSid: `AC${index % 3}`, amount: -(index + 1) }),
  )
  await Promise.all(asked)
  const sums = await Promise.all(['AC0', 'AC1', 'AC2'].map((sid) => amountOf(fixture, sid)))
  expect(sums.reduce((sum, each) => sum + each, 0)).toBe(-(60 * 61) / 2)
  expect(await fixture.faults()).toEqual([])
})

it('finds a balance that was changed without an entry', async () => {
  await using fixture = await ledgerFixture()
  await fixture.post({ amount: 100 })
  await fixture.post({ amount: 50, accountSid: 'AC2' })
  await fixture.db.write((tx) =>
    tx
      .updateTable('ledger_balances')
      .set({ amount: 101, reserved: 3 })
      .where('accountSid', '=', 'AC1')
      .execute(),
  )
  expect(await fixture.faults()).toEqual([
    { accountSid: 'AC1', amount: 101, sumOfEntries: 100, reserved: 3, sumOfReservations: 0 },
  ])
})

it('finds entries without a balance', async () => {
  await using fixture = await ledgerFixture()
  await fixture.post({ amount: 100 })
  await fixture.db.write((tx) => tx.deleteFrom('ledger_balances').execute())
  expect(await fixture.faults()).toMatchObject([
    { accountSid: 'AC1', amount: 0, sumOfEntries: 100 },
  ])
})

it('lists entries in pages, the newest first', async () => {
  await using fixture = await ledgerFixture()
  for (const amount of [1, 2, 3, 4, 5]) await fixture.post({ amount })
  const read = fixture.db.read
  const first = await listEntries(read, 'AC1', { limit: 2 })
  const second = await listEntries(read, 'AC1', { limit: 5, after: first[1] })
  expect([...first, ...second].map(({ amount }) => amount)).toEqual([5, 4, 3, 2, 1])
})

it('notifies each crossing of the threshold once', async () => {
  await using fixture = await ledgerFixture()
  const { lows, thresholds } = fixture
  await fixture.post({ amount: 100 })
  thresholds.set('AC1', 50)
  await fixture.post({ amount: -50 })
  expect(lows).toEqual([])
  await fixture.post({ key: 'first', amount: -1 })
  await fixture.post({ amount: -10 })
  expect(lows).toMatchObject([{ entryKey: 'first', amount: 49, threshold: 50 }])
  await fixture.post({ amount: 100 })
  await fixture.post({ key: 'second', amount: -130 })
  expect(lows.map(({ entryKey }) => entryKey)).toEqual(['first', 'second'])
  thresholds.delete('AC1')
  await fixture.post({ amount: 200 })
  await fixture.post({ amount: -300 })
  expect(lows).toHaveLength(2)
})

it('notifies a balance that is low when the threshold is set at its next entry, once', async () => {
  await using fixture = await ledgerFixture()
  const { lows, thresholds } = fixture
  await fixture.post({ amount: 10 })
  thresholds.set('AC1', 50)
  expect(lows).toEqual([])
  await fixture.post({ amount: -1 })
  await fixture.post({ amount: -1 })
  expect(lows).toHaveLength(1)
})
