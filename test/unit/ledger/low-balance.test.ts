import { expect, it } from 'vitest'
import { createLedger, type LowBalance, lowBalanceChannel } from '../../../src/ledger/ledger.js'
import { AdapterError } from '../../../src/platform/errors.js'
import { Outbox } from '../../../src/platform/outbox/outbox.js'
import { type LedgerFixture, ledgerFixture } from '../../support/billing/ledger-fixture.js'

/** One process: its outbox and its ledger, which notify below 50. */
function processOn({ db, clock, log }: LedgerFixture, told: [LowBalance, string][]) {
  const outbox = new Outbox({ db, clock, random: () => 0, log })
  const lows = outbox.open(
    lowBalanceChannel((low, token) => {
      told.push([low, token])
      return Promise.resolve()
    }),
  )
  const ledger = createLedger({
    thresholdOf: () => Promise.resolve(50),
    onLow: (tx, low) => lows.enqueue(tx, [low]),
  })
  const post = (key: string, amount: number) =>
    db.write((tx) =>
      ledger.post(tx, {
        key,
        accountSid: 'AC1',
        cause: 'adjustment',
        reference: '',
        amount,
        description: '',
        at: clock.now(),
      }),
    )
  return { outbox, post }
}

it('is notified exactly once for each crossing, over restarts', async () => {
  await using fixture = await ledgerFixture()
  const told: [LowBalance, string][] = []
  // The first process dies before it delivers anything.
  const first = processOn(fixture, told)
  await first.post('start', 100)
  await first.post('down', -60)
  await first.post('further', -1)
  await first.outbox[Symbol.asyncDispose]()
  expect(told).toEqual([])

  const second = processOn(fixture, told)
  second.outbox.start()
  await second.outbox.settled()
  await second.post('again', -1)
  await second.outbox.settled()
  expect(told.map(([, token]) => token)).toEqual(['down'])
  expect(told[0]?.[0]).toMatchObject({ accountSid: 'AC1', amount: 40, threshold: 50 })

  await second.post('up', 100)
  await second.post('down again', -100)
  await second.outbox.settled()
  await second.outbox[Symbol.asyncDispose]()

  const third = processOn(fixture, told)
  third.outbox.start()
  await third.outbox.settled()
  await third.outbox[Symbol.asyncDispose]()
  expect(told.map(([, token]) => token)).toEqual(['down', 'down again'])
})

it('is tried again while the mail server is away, and given up when it refuses', async () => {
  const row = {
    id: 1,
    channel: 'low-balance',
    stream: 's',
    accountSid: 'AC1',
    kind: 'low-balance',
    payload: {},
    createdAt: 0,
    attempts: 0,
    idempotencyToken: 'key',
  }
  const outcomeOf = async (isRetryable: boolean) => {
    const channel = lowBalanceChannel(() =>
      Promise.reject(new AdapterError('no mail today', { isRetryable })),
    )
    return await channel.deliver(row, new AbortController().signal)
  }
  expect(await outcomeOf(true)).toMatchObject({ type: 'failed', error: 'no mail today' })
  expect(await outcomeOf(false)).toMatchObject({ type: 'refused', error: 'no mail today' })
})
