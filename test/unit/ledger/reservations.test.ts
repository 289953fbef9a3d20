import { expect, it } from 'vitest'
import { balanceOf } from '../../../src/ledger/ledger.js'
import {
  findReservation,
  InsufficientBalanceError,
  release,
  releaseExpired,
  renew,
  reserve,
} from '../../../src/ledger/reservations.js'
import { type LedgerFixture, ledgerFixture } from '../../support/billing/ledger-fixture.js'

const LATER = 1_000

/** Reserves in steps of ten, up to `most`. */
const upTo = (most: number) => (available: number) => Math.min(most, available - (available % 10))

const reserveFor = ({ db }: LedgerFixture, reference: string, most: number) =>
  db.write(
    (tx) =>
      reserve(tx, { reference, accountSid: 'AC1', fit: upTo(most), now: 1, expiresAt: LATER }),
    'read-committed',
  )

it('gives calls at once no more than the balance', async () => {
  await using fixture = await ledgerFixture()
  await fixture.post({ amount: 100 })
  const asked = Array.from({ length: 20 }, (_, index) => reserveFor(fixture, `CA${index}`, 30))
  const answers = await Promise.allSettled(asked)
  const refused = answers.filter((answer) => answer.status === 'rejected')
  expect(refused).toHaveLength(16)
  for (const { reason } of refused) expect(reason).toBeInstanceOf(InsufficientBalanceError)
  expect(await balanceOf(fixture.db.read, 'AC1')).toEqual({ amount: 100, reserved: 100 })
  expect(await fixture.faults()).toEqual([])
})

it('refuses a call of an account without entries, and leaves nothing behind', async () => {
  await using fixture = await ledgerFixture()
  await expect(reserveFor(fixture, 'CA1', 30)).rejects.toBeInstanceOf(InsufficientBalanceError)
  expect(await findReservation(fixture.db.read, 'CA1')).toBeUndefined()
})

it('renews from what others have left', async () => {
  await using fixture = await ledgerFixture()
  const { db } = fixture
  await fixture.post({ amount: 100 })
  await reserveFor(fixture, 'CA1', 40)
  await reserveFor(fixture, 'CA2', 40)
  const renewed = (reference: string, most: number) =>
    db.write((tx) => renew(tx, { reference, fit: upTo(most), now: 2, expiresAt: LATER }))
  expect(await renewed('CA1', 80)).toBe(60)
  expect(await renewed('CA2', 80)).toBe(40)
  expect(await renewed('CA3', 80)).toBeUndefined()
  expect(await fixture.faults()).toEqual([])
})

it('gives money back once', async () => {
  await using fixture = await ledgerFixture()
  const { db } = fixture
  await fixture.post({ amount: 100 })
  await reserveFor(fixture, 'CA1', 40)
  await db.write((tx) => release(tx, 'CA1'))
  await db.write((tx) => release(tx, 'CA1'))
  expect(await balanceOf(db.read, 'AC1')).toEqual({ amount: 100, reserved: 0 })
})

it('releases the reservations of nodes that do not come back', async () => {
  await using fixture = await ledgerFixture()
  const { db } = fixture
  await fixture.post({ amount: 100 })
  await reserveFor(fixture, 'CA1', 40)
  expect(await db.write((tx) => releaseExpired(tx, LATER - 1, 10))).toBe(0)
  expect(await db.write((tx) => releaseExpired(tx, LATER, 10))).toBe(1)
  expect(await balanceOf(db.read, 'AC1')).toEqual({ amount: 100, reserved: 0 })
})
