import { expect, it } from 'vitest'
import { balanceOf } from '../../../src/ledger/ledger.js'
import { reserve } from '../../../src/ledger/reservations.js'
import { viewOfCdr } from '../../../src/rating/cdrs.js'
import { type EndedCall, settleCall } from '../../../src/rating/settle-call.js'
import { cdrsBetween } from '../../support/billing/cdrs-between.js'
import { ledgerFixture, START } from '../../support/billing/ledger-fixture.js'

const terms = { billedSid: 'AC1', perMinute: 25_000, minimumSeconds: 6, incrementSeconds: 6 }
const call = (more: Partial<EndedCall> = {}): EndedCall => ({
  sid: 'CA1',
  accountSid: 'AC1',
  direction: 'outbound',
  status: 'completed',
  peerIp: '',
  callerName: 'Ann & Bob',
  from: '+15550001111',
  to: '+12125550100',
  isAnswered: true,
  durationSeconds: 40,
  terms,
  startedAt: START,
  endedAt: START + 45_000,
  ...more,
})

it('records and charges a call once, and gives back what it did not spend', async () => {
  await using fixture = await ledgerFixture()
  const { db, ledger } = fixture
  await fixture.post({ amount: 10_000 })
  const wanted = { reference: 'CA1', accountSid: 'AC1', now: 1, expiresAt: 2 }
  await db.write((tx) => reserve(tx, { ...wanted, fit: () => 250 }))
  await Promise.all(
    [1, 2, 3].map(() => db.write((tx) => settleCall(tx, call(), ledger), 'read-committed')),
  )
  expect(await balanceOf(db.read, 'AC1')).toEqual({ amount: 9_825, reserved: 0 })
  const cdrs = await cdrsBetween(db.read, 'AC1', [START, START])
  expect(cdrs.map((cdr) => viewOfCdr(cdr, '1234567890'))).toEqual([
    {
      key: ['1234567890', String(START / 1_000)],
      id: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
      value: {
        ip: '',
        cn: 'Ann%20%26%20Bob',
        nr: '0.025',
        dst: '+12125550100',
        dur: '40',
        ba: '0.017500',
        cid: '+15550001111',
      },
    },
  ])
  expect(await fixture.faults()).toEqual([])
})

it.each([
  ['a call that nobody answered', { isAnswered: false, durationSeconds: 0 }, '0.025', '0.000000'],
  ['a call without a rate', { terms: undefined }, '', '0.000000'],
  ['a call of less than a second', { durationSeconds: 0 }, '0.025', '0.002500'],
])('records %s', async (_title, more, nr, ba) => {
  await using fixture = await ledgerFixture()
  const { db, ledger } = fixture
  await db.write((tx) => settleCall(tx, call(more), ledger))
  const [cdr] = await cdrsBetween(db.read, 'AC1', [START, START])
  expect(cdr && viewOfCdr(cdr, '').value).toMatchObject({ nr, ba })
})

it('lists the calls of a window whose bounds come in either order, the newest first', async () => {
  await using fixture = await ledgerFixture()
  const { db, ledger } = fixture
  for (const minute of [1, 2, 3, 4])
    await db.write((tx) =>
      settleCall(tx, call({ sid: `CA${minute}`, startedAt: START + minute }), ledger),
    )
  const starts = async (...bounds: [number, number]) =>
    (await cdrsBetween(db.read, 'AC1', bounds)).map(({ startedAt: at }) => at - START)
  expect(await starts(START + 2, START + 3)).toEqual([3, 2])
  expect(await starts(START + 3, START + 2)).toEqual([3, 2])
  expect(await cdrsBetween(db.read, 'AC2', [0, START + 9])).toEqual([])
})
