import { describe, expect, it } from 'vitest'
import type { CallLimits } from '../../../../../src/voice/calls/admission/call-slots.js'
import {
  CallQueueFullError,
  TooManyCallsError,
} from '../../../../../src/voice/model/call-errors.js'
import type { CallRecord } from '../../../../../src/voice/model/call-record.js'
import { waitUntil } from '../../../../support/time/wait-until.js'
import { PLAN, paramsOf, setUpCalls } from '../../../../support/voice/calls-fixture.js'

/** So slow that a second call waits for as long as a test takes. */
const ONE_CALL = { callsPerSecond: 0.000_1 }

async function setUp(limits: Partial<CallLimits>) {
  const bench = await setUpCalls(undefined, limits)
  const create = (account = bench.account) =>
    bench.calls.create(account, { to: '+15005550001', from: '+15551112222', plan: PLAN })
  const statusOf = async (sid: string) => (await bench.calls.fetch(bench.account.sid, sid)).status
  return { ...bench, create, statusOf }
}

describe('calls beyond the rate of their account', () => {
  it('wait, and show for how long', async () => {
    await using t = await setUp(ONE_CALL)
    const first = await t.create()
    const second = await t.create()
    await t.telephony.leg(0)
    const waitOf = async ({ sid }: CallRecord) => (await t.calls.fetch(t.account.sid, sid)).queueMs
    // The first one's turn came at once, however long its start took.
    const shortest = await waitOf(first)
    // Its making, which may be slow, counts as long as it waits.
    const begun = await waitOf(second)
    await waitUntil('its wait shows', async () => (await waitOf(second)) > begun + 500)
    expect(await t.statusOf(second.sid)).toBe('queued')
    expect(t.telephony.legs).toHaveLength(1)
    // A call at a higher rate brings its account to that rate.
    await t.accounts.update(t.account.sid, { settings: { callsPerSecond: 1_000 } })
    await t.create(await t.accounts.find(t.account.sid))
    await t.telephony.leg(2)
    expect(await waitOf(first)).toBe(shortest)
    // A call that waits shows the time since it was made, and later the time in the queue.
    expect(await waitOf(second)).toBeGreaterThan(shortest + 50)
  })

  it('wait by the rate that the account has of its own', async () => {
    await using t = await setUp(ONE_CALL)
    await t.accounts.update(t.account.sid, { settings: { callsPerSecond: 1_000 } })
    const account = await t.accounts.find(t.account.sid)
    for (let index = 0; index < 5; index++) await t.create(account)
    await t.telephony.leg(4)
  })

  it('let the calls of another account start', async () => {
    await using t = await setUp(ONE_CALL)
    const other = await t.accounts.create({ friendlyName: 'other' })
    for (let index = 0; index < 5; index++) await t.create()
    await t.create(other)
    await t.telephony.leg(1)
    expect(t.telephony.legs).toHaveLength(2)
  })

  it('can be canceled, and nobody is told of them', async () => {
    await using t = await setUp(ONE_CALL)
    const first = await t.create()
    const second = await t.create()
    await t.calls.update(t.account.sid, second.sid, { end: 'canceled' })
    expect(await t.statusOf(second.sid)).toBe('canceled')
    expect(t.calls.liveCount()).toBe(1)
    const told = t.callbacks.map((row) => paramsOf(row)['CallSid'])
    expect(told).not.toContain(second.sid)
    expect(await t.statusOf(first.sid)).toBe('queued')
  })

  it('are refused once as many wait as may', async () => {
    await using t = await setUp({ ...ONE_CALL, maxWaiting: 2 })
    for (let index = 0; index < 3; index++) await t.create()
    await expect(t.create()).rejects.toBeInstanceOf(CallQueueFullError)
    const { total } = await t.calls.list(t.account.sid, {}, { offset: 0, limit: 9 })
    expect(total).toBe(3)
  })

  it('fail, and say so, when the server ends before their turn', async () => {
    const t = await setUp(ONE_CALL)
    await t.create()
    const second = await t.create()
    await t[Symbol.asyncDispose]()
    const told = t.callbacks.map(paramsOf).filter((params) => params['CallSid'] === second.sid)
    expect(told.map((params) => params['CallStatus'])).toEqual(['failed'])
  })
})

describe('calls beyond the room for calls', () => {
  it('[F48] are refused, exactly so many, and no other call is lost', async () => {
    await using t = await setUp({ maxCalls: 10 })
    await t.numbers.assign(t.account.sid, '+15551112222', {
      voiceUrl: 'http://app.test/voice',
      voiceMethod: 'POST',
      voiceFallbackUrl: undefined,
      voiceFallbackMethod: 'POST',
      statusCallback: undefined,
      statusCallbackMethod: 'POST',
    })
    const offered = Array.from({ length: 15 }, (_, index) =>
      t.telephony.invite({ callId: `call-${index}` }),
    )
    await t.telephony.leg(9)
    await waitUntil(
      'five are refused',
      () => offered.flatMap(({ rejected }) => rejected).length === 5,
      10_000,
    )
    expect(offered.flatMap(({ rejected }) => rejected)).toEqual([503, 503, 503, 503, 503])
    expect(t.telephony.legs.filter((leg) => leg.state !== 'ended')).toHaveLength(10)
    await expect(t.create()).rejects.toBeInstanceOf(TooManyCallsError)
    t.telephony.legs[0]?.end('remote-hangup', 200)
    await waitUntil('one has ended', () => t.calls.liveCount() === 9)
    await t.create()
    await t.telephony.leg(10)
  })

  it('wait when they were taken before, and start when there is room', async () => {
    await using t = await setUp({ maxCalls: 1, callsPerSecond: 1_000 })
    const made = await Promise.all([t.create(), t.create()])
    // Whichever was stored first goes first.
    const statuses = () => Promise.all(made.map(({ sid }) => t.statusOf(sid)))
    const leg = await t.telephony.leg(0)
    expect(await statuses()).toEqual(['queued', 'queued'])
    expect(t.telephony.legs).toHaveLength(1)
    leg.end('rejected', 486)
    await t.telephony.leg(1)
    expect((await statuses()).sort()).toEqual(['busy', 'queued'])
  })
})
