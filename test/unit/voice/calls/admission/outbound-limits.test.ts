import { describe, expect, it } from 'vitest'
import { balanceOf } from '../../../../../src/ledger/ledger.js'
import { type Clock, systemClock } from '../../../../../src/platform/clock.js'
import { putRates } from '../../../../../src/rating/rates.js'
import { waitUntil } from '../../../../support/time/wait-until.js'
import { PLAN, setUpCalls } from '../../../../support/voice/calls-fixture.js'

const TO = '+15005550001'
const FROM = '+15005550002'
const MIDNIGHT = Date.UTC(2026, 4, 5)
/** No day ends while a test runs. */
const AT_NOON: Clock = {
  now: () => MIDNIGHT + 12 * 3_600_000,
  monotonic: () => systemClock.monotonic(),
}

async function setUp(settings: {
  readonly callsToOneNumber?: number
  readonly minutesPerDay?: number
  readonly dollarsPerDay?: number
}) {
  const all = await setUpCalls(undefined, { callsPerSecond: 1_000, maxWaiting: 1_000 }, {}, AT_NOON)
  const account = (await all.accounts.update(all.account.sid, { settings })) ?? all.account
  const create = (to = TO) => all.calls.create(account, { to, from: FROM, plan: PLAN })
  return { ...all, account, create, [Symbol.asyncDispose]: () => all[Symbol.asyncDispose]() }
}

describe('calls to one number', () => {
  it('200 at once do not pass the limit; another number and another account are free', async () => {
    await using voice = await setUp({ callsToOneNumber: 7 })
    const made = await Promise.allSettled(Array.from({ length: 200 }, () => voice.create()))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(7)
    expect(made.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'call-limit' },
    })
    await voice.create('+15005550003')
    const other = await voice.accounts.create({ friendlyName: 'other' })
    await voice.calls.create(other, { to: TO, from: FROM, plan: PLAN })
  })

  it('end, and make room for another', async () => {
    await using voice = await setUp({ callsToOneNumber: 1 })
    await voice.create()
    await expect(voice.create()).rejects.toMatchObject({ code: 'call-limit' })
    const leg = await voice.telephony.leg(0)
    leg.end('rejected', 486)
    await voice.completed()
    await voice.create()
  })

  it('that are refused are told to the operator', async () => {
    await using voice = await setUp({ callsToOneNumber: 1 })
    const told: unknown[] = []
    voice.events.onEvent(({ detail, kind }) => told.push({ kind, ...detail }))
    await voice.create()
    await expect(voice.create()).rejects.toMatchObject({ code: 'call-limit' })
    expect(told).toContainEqual({
      kind: 'warning',
      code: 10004,
      message: `The account has 1 calls to ${TO} at once: no more are allowed.`,
    })
  })
})

/** An account that has a hundred dollars, and whose calls cost 60 cents a minute. */
async function setUpRated(dollarsPerDay: number) {
  const voice = await setUp({ dollarsPerDay })
  const rate = {
    accountSid: '',
    prefix: '+1',
    direction: 'outbound' as const,
    perMinute: 600_000,
    minimumSeconds: 6,
    incrementSeconds: 6,
    description: '',
  }
  await voice.db.write(async (tx) => {
    await putRates(tx, [rate], 1)
    await voice.ledger.post(tx, {
      key: 'balance',
      accountSid: voice.account.sid,
      cause: 'adjustment',
      reference: '',
      amount: 1_000_000,
      description: '',
      at: 1,
    })
  })
  voice.rateBook.changed()
  return voice
}

describe('the dollars of a day', () => {
  it('200 calls at once pass them by less than one call; a call that is free is let through', async () => {
    // A minute is reserved for a call at first: sixty cents.
    await using voice = await setUpRated(2)
    const made = await Promise.allSettled(Array.from({ length: 200 }, () => voice.create()))
    const reserved = (await balanceOf(voice.db.read, voice.account.sid)).reserved / 10_000
    expect(reserved).toBeGreaterThanOrEqual(2)
    const calls = made.filter(({ status }) => status === 'fulfilled').length
    expect(reserved - reserved / calls).toBeLessThan(2)
    expect(made.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'call-limit' },
    })
    await voice.create('+442071838750')
  })

  it('stop the call that comes after them, tell the operator, and begin anew with the next day', async () => {
    await using voice = await setUpRated(2)
    const told: unknown[] = []
    voice.events.onEvent(({ detail, kind }) => told.push({ kind, ...detail }))
    const first = await voice.create()
    ;(await voice.telephony.leg(0)).end('rejected', 486)
    await voice.completed()
    const past = (createdAt: number, price: number) =>
      voice.db.write((tx) =>
        tx
          .updateTable('calls')
          .set({ createdAt: createdAt, price })
          .where('sid', '=', first.sid)
          .execute(),
      )
    const over = async (index: number) => {
      ;(await voice.telephony.leg(index)).end('rejected', 486)
      await waitUntil('the call is over', () => voice.calls.liveCount() === 0)
    }
    await past(MIDNIGHT - 1, 50_000)
    await voice.create()
    await over(1)
    await past(MIDNIGHT, 19_999)
    await voice.create()
    await over(2)
    await past(MIDNIGHT, 20_000)
    await expect(voice.create()).rejects.toMatchObject({ code: 'call-limit' })
    expect(told).toContainEqual(expect.objectContaining({ kind: 'warning', code: 10004 }))
    expect((await balanceOf(voice.db.read, voice.account.sid)).reserved).toBe(0)
  })
})

describe('the minutes of a day', () => {
  it('stop the call that comes after them, and begin anew with the next day', async () => {
    await using voice = await setUp({ minutesPerDay: 2 })
    const past = (sid: string, createdAt: number, seconds: number) =>
      voice.db.write((tx) =>
        tx
          .updateTable('calls')
          .set({ createdAt: createdAt, durationSeconds: seconds })
          .where('sid', '=', sid)
          .execute(),
      )
    const first = await voice.create()
    ;(await voice.telephony.leg(0)).end('rejected', 486)
    await voice.completed()
    await past(first.sid, MIDNIGHT - 1, 10_000)
    await voice.create()
    await past(first.sid, MIDNIGHT, 119)
    await voice.create()
    await past(first.sid, MIDNIGHT, 120)
    await expect(voice.create()).rejects.toMatchObject({ code: 'call-limit' })
  })
})
