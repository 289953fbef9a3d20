import { describe, expect, it } from 'vitest'
import { checkLedger } from '../../../../src/ledger/check-ledger.js'
import { balanceOf } from '../../../../src/ledger/ledger.js'
import { changeAccountRates } from '../../../../src/rating/account-rates.js'
import { putRates } from '../../../../src/rating/rates.js'
import { callToWire } from '../../../../src/voice/api/call-operations.js'
import type { MediaFigures } from '../../../../src/voice/telephony/media-figures.js'
import { cdrsBetween } from '../../../support/billing/cdrs-between.js'
import { PLAN, setUpCalls } from '../../../support/voice/calls-fixture.js'

const CALL = { to: '+15005550001', from: '+15551112222', plan: PLAN }
const NUMBER = '+15556667777'
const FIGURES: MediaFigures = {
  server: 'media:8021',
  channel: 'c1',
  durationMs: 10_000,
  codec: 'PCMU',
  payloadType: 0,
  eventPayloadType: 101,
  isSecure: false,
  packetsReceived: 485,
  packetsSent: 500,
  bytesReceived: 83_420,
  bytesSent: 86_000,
  packetsLost: 15,
  lossPercent: 3.01,
  jitterMs: 10.5,
  largestGapMs: null,
  roundTripMs: null,
  digitPackets: 0,
  mos: 4.08,
  local: '192.0.2.1:20000',
  remote: '198.51.100.7:4000',
  source: null,
  unexpectedPayloadType: null,
  hasAudioToSend: true,
}

/** Accounts with a balance in dollars, where calls cost `perMinute` dollars. */
async function setUp(balance: number, perMinute: number, seconds = 1) {
  const t = await setUpCalls()
  const post = (amount: number, key: string) =>
    t.db.write((tx) =>
      t.ledger.post(tx, {
        key,
        accountSid: t.account.sid,
        cause: 'adjustment',
        reference: '',
        amount,
        description: '',
        at: 1,
      }),
    )
  await post(balance * 10_000, 'balance')
  const rate = {
    accountSid: '',
    prefix: '+1',
    perMinute: perMinute * 1_000_000,
    minimumSeconds: seconds,
    incrementSeconds: seconds,
    description: '',
  }
  const both = [
    { ...rate, direction: 'outbound' as const },
    { ...rate, direction: 'inbound' as const },
  ]
  await t.db.write((tx) => putRates(tx, both, 1))
  t.rateBook.changed()
  return Object.assign(t, {
    post,
    balance: () => balanceOf(t.db.read, t.account.sid),
    faults: () => checkLedger(t.db.read),
    cdrs: () => cdrsBetween(t.db.read, t.account.sid, [0, Date.now() + 60_000]),
    codes: async (sid: string) => {
      await t.events.flush()
      const { events } = await t.events.list(sid, { type: 'offset', offset: 0 }, 100)
      return events.flatMap(({ detail }) => ('code' in detail ? [detail['code']] : []))
    },
  })
}

describe('a call with a rate', () => {
  it('is charged for its time when it ends, and shows its price', async () => {
    await using t = await setUp(1, 0.6, 30)
    const { sid } = await t.calls.create(t.account, CALL)
    expect(await t.balance()).toEqual({ amount: 10_000, reserved: 6_000 })
    const leg = await t.telephony.leg(0)
    leg.pickUp()
    await expect
      .poll(async () => (await t.calls.fetch(t.account.sid, sid)).status)
      .toBe('in-progress')
    leg.end('remote-hangup', 200)
    await t.completed()
    const call = await t.calls.fetch(t.account.sid, sid)
    expect(callToWire(call)).toMatchObject({ price: '-0.3000', price_unit: 'USD' })
    expect(await t.balance()).toEqual({ amount: 7_000, reserved: 0 })
    expect(await t.cdrs()).toMatchObject([
      { callSid: sid, billedSeconds: 30, amount: 3_000, destination: '+15005550001' },
    ])
    expect(await t.faults()).toEqual([])
  })

  it('shows what its audio was in its record', async () => {
    await using t = await setUp(1, 0.6)
    await t.calls.create(t.account, CALL)
    const leg = await t.telephony.leg(0)
    leg.pickUp()
    leg.count(FIGURES)
    leg.end('remote-hangup', 200)
    await t.completed()
    const { codec, packetsReceived, packetsSent, lossPercent, jitterMs, mos } = FIGURES
    expect(await t.cdrs()).toMatchObject([
      { codec, packetsReceived, packetsSent, lossPercent, jitterMs, mos },
    ])
  })

  it('costs nothing when nobody answers', async () => {
    await using t = await setUp(1, 0.6)
    const { sid } = await t.calls.create(t.account, CALL)
    ;(await t.telephony.leg(0)).end('rejected', 486)
    await t.completed()
    expect(callToWire(await t.calls.fetch(t.account.sid, sid)).price).toBe('0.0000')
    expect(await t.balance()).toEqual({ amount: 10_000, reserved: 0 })
    expect(await t.cdrs()).toMatchObject([
      { status: 'busy', amount: 0, perMinute: 600_000, codec: null, mos: null },
    ])
  })

  it('is refused without balance, and leaves nothing behind [20402]', async () => {
    await using t = await setUp(0, 0.6)
    await expect(t.calls.create(t.account, CALL)).rejects.toMatchObject({
      code: 'insufficient-balance',
    })
    expect(t.telephony.legs).toHaveLength(0)
    expect((await t.calls.list(t.account.sid, {}, { limit: 10, offset: 0 })).items).toEqual([])
    expect(await t.cdrs()).toEqual([])
  })

  it('ends when the balance is spent, and its event log says so [20402]', async () => {
    await using t = await setUp(0.02, 0.6)
    const { sid } = await t.calls.create(t.account, CALL)
    const leg = await t.telephony.leg(0)
    leg.pickUp()
    await t.completed()
    const call = await t.calls.fetch(t.account.sid, sid)
    expect(call).toMatchObject({ status: 'completed', price: 200 })
    expect(call.durationSeconds).toBeGreaterThanOrEqual(2)
    expect(await t.balance()).toEqual({ amount: 0, reserved: 0 })
    expect(await t.codes(sid)).toEqual([20402])
  })

  it('goes on when money comes in before its own is spent', async () => {
    await using t = await setUp(0.02, 0.6)
    const { sid } = await t.calls.create(t.account, CALL)
    const leg = await t.telephony.leg(0)
    await t.post(100, 'payment')
    leg.pickUp()
    await t.completed()
    expect(await t.calls.fetch(t.account.sid, sid)).toMatchObject({ price: 300 })
    expect(await t.balance()).toEqual({ amount: 0, reserved: 0 })
  })

  it('is charged when it verifies a caller ID, and is refused without money', async () => {
    await using t = await setUp(1, 0.6, 30)
    const wanted = { friendlyName: '', callDelaySeconds: 0, extension: undefined }
    const verify = (phoneNumber: string) =>
      t.callerIds.verify(t.account, { ...wanted, phoneNumber, callback: undefined })
    await verify('+15005550001')
    expect(await t.balance()).toEqual({ amount: 10_000, reserved: 6_000 })
    await verify('+15005550002')
    await expect(verify('+15005550003')).rejects.toMatchObject({ code: 'insufficient-balance' })
  })

  it('is refused beyond the highest rate of calls abroad', async () => {
    await using t = await setUp(1, 0.6)
    await t.db.write((tx) =>
      changeAccountRates(tx, t.account.sid, { nibble: 500_000, intlMax: 100_000 }, 1),
    )
    t.rateBook.changed()
    const abroad = { ...CALL, to: '+442071838750' }
    await expect(t.calls.create(t.account, abroad)).rejects.toMatchObject({
      code: 'number-blocked',
    })
  })
})

describe('an incoming call with a rate', () => {
  const invite = { requestUri: { uri: `sip:${NUMBER}@here`, user: NUMBER, host: 'here' } }

  it('is refused without balance, and is kept as failed with the reason', async () => {
    await using t = await setUp(0, 0.6)
    await t.numbers.assign(t.account.sid, NUMBER, {
      voiceUrl: 'http://app.test/voice',
      voiceMethod: 'POST',
      voiceFallbackMethod: 'POST',
      statusCallbackMethod: 'POST',
    })
    const { rejected } = t.telephony.invite(invite)
    await expect.poll(() => rejected).toEqual([480])
    const list = () => t.calls.list(t.account.sid, {}, { limit: 10, offset: 0 })
    await expect.poll(async () => (await list()).items.length).toBe(1)
    const [listed] = (await list()).items
    const call = await t.calls.fetch(t.account.sid, listed?.sid ?? '')
    expect(call).toMatchObject({ status: 'failed', sipStatus: 480, price: 0 })
    expect(await t.codes(call.sid)).toEqual([20402])
  })
})

describe('several calls at once', () => {
  it('never reserve the same dollar', async () => {
    await using t = await setUp(1, 0.2)
    const made = await Promise.allSettled(
      Array.from({ length: 20 }, () => t.calls.create(t.account, CALL)),
    )
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(await t.balance()).toEqual({ amount: 10_000, reserved: 10_000 })
  })
})

describe('a call without any rate', () => {
  it('is free and unlimited, and has a record all the same', async () => {
    await using t = await setUpCalls()
    const { sid } = await t.calls.create(t.account, CALL)
    const leg = await t.telephony.leg(0)
    leg.pickUp()
    leg.end('remote-hangup', 200)
    await t.completed()
    expect(callToWire(await t.calls.fetch(t.account.sid, sid)).price).toBeNull()
    const cdrs = await cdrsBetween(t.db.read, t.account.sid, [0, Date.now() + 60_000])
    expect(cdrs).toMatchObject([{ callSid: sid, perMinute: null, amount: 0 }])
  })
})
