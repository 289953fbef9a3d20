import { describe, expect, it } from 'vitest'
import { PLAN, setUpCalls } from '../../../../support/voice/calls-fixture.js'

const TO = '+15005550001'
const FROM = '+15005550002'

async function setUp(settings: {
  readonly callsToOneNumber?: number
  readonly minutesPerDay?: number
}) {
  const all = await setUpCalls(undefined, { callsPerSecond: 1_000, maxWaiting: 1_000 })
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

describe('the minutes of a day', () => {
  it('stop the call that comes after them, and begin anew with the next day', async () => {
    await using voice = await setUp({ minutesPerDay: 2 })
    const past = (sid: string, createdAt: number, seconds: number) =>
      voice.db.write((tx) =>
        tx
          .updateTable('calls')
          .set({ created_at: createdAt, duration_seconds: seconds })
          .where('sid', '=', sid)
          .execute(),
      )
    const now = voice.clock.now()
    const midnight = now - (now % 86_400_000)
    const first = await voice.create()
    ;(await voice.telephony.leg(0)).end('rejected', 486)
    await voice.completed()
    await past(first.sid, midnight - 1, 10_000)
    await voice.create()
    await past(first.sid, midnight, 119)
    await voice.create()
    await past(first.sid, midnight, 120)
    await expect(voice.create()).rejects.toMatchObject({ code: 'call-limit' })
  })
})
