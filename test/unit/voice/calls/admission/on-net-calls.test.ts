import { describe, expect, it } from 'vitest'
import { balanceOf } from '../../../../../src/ledger/ledger.js'
import { putRates } from '../../../../../src/rating/rates.js'
import type { CallRecord } from '../../../../../src/voice/model/call-record.js'
import type { ResponseHeaders } from '../../../../../src/voice/telephony/port.js'
import { cdrsBetween } from '../../../../support/billing/cdrs-between.js'
import { waitUntil } from '../../../../support/time/wait-until.js'
import { setUpCalls } from '../../../../support/voice/calls-fixture.js'

/** The address of the caller's PBX. */
const PBX = '198.41.0.9'
const CALLER = '+12025550143'
/** A number of another account of this server. */
const CALLED = '+12025550177'
const ROUTING = {
  voiceUrl: 'http://app.test/voice',
  voiceMethod: 'POST',
  voiceFallbackUrl: undefined,
  voiceFallbackMethod: 'POST',
  statusCallback: undefined,
  statusCallbackMethod: 'POST',
} as const

/** Two accounts: the PBX is the first one's, and the called number the second one's. */
async function setUp(settings: object = {}) {
  const t = await setUpCalls()
  const caller = await t.accounts.create({ friendlyName: 'Caller', profile: { authType: 1 } })
  const callee = await t.accounts.create({ friendlyName: 'Callee' })
  await t.accounts.update(caller.sid, { settings })
  await t.accessLists.add(caller.sid, [`${PBX}/32`])
  await t.numbers.assign(callee.sid, CALLED, ROUTING)
  const callsOf = async ({ sid }: { readonly sid: string }) => {
    const { items } = await t.calls.list(sid, {}, { limit: 10, offset: 0 })
    return await Promise.all(items.map((call) => t.calls.fetch(sid, call.sid)))
  }
  return Object.assign(t, {
    caller,
    callee,
    callsOf,
    pay: (accountSid: string, amount: number) =>
      t.db.write((tx) =>
        t.ledger.post(tx, {
          key: `${accountSid} ${String(amount)}`,
          accountSid,
          cause: 'adjustment',
          reference: '',
          amount,
          description: '',
          at: 1,
        }),
      ),
    rate: async (direction: 'inbound' | 'outbound') => {
      const rate = {
        accountSid: '',
        direction,
        prefix: '+1',
        perMinute: 600_000,
        minimumSeconds: 30,
        incrementSeconds: 30,
        description: '',
      }
      await t.db.write((tx) => putRates(tx, [rate], 1))
      t.rateBook.changed()
    },
    balance: ({ sid }: { readonly sid: string }) => balanceOf(t.db.read, sid),
    cdrs: ({ sid }: { readonly sid: string }) =>
      cdrsBetween(t.db.read, sid, [0, Date.now() + 60_000]),
    /** The call of each account, once both are stored. */
    pair: async (): Promise<{ readonly out: CallRecord; readonly in: CallRecord }> => {
      const both = async () => [...(await callsOf(caller)), ...(await callsOf(callee))]
      await waitUntil('both calls are stored', async () => (await both()).length === 2)
      const [out, into] = await both()
      if (out === undefined || into === undefined) throw new Error('a call is missing')
      return { out, in: into }
    },
    isOver: () => waitUntil('no call is live', () => t.calls.liveCount() === 0),
  })
}

type Bench = Awaited<ReturnType<typeof setUp>>

const party = (user: string, displayName?: string) => ({
  user,
  host: '198.51.100.1',
  uri: `sip:${user}@198.51.100.1`,
  displayName,
})

/** Resolves with the status of the INVITE's refusal, or with 200 once it was taken. */
async function ask(
  { telephony }: Bench,
  { from = CALLER, privacy = '' }: { readonly from?: string; readonly privacy?: string } = {},
): Promise<{ readonly status: number; readonly headers: ResponseHeaders }> {
  const answers: { readonly status: number; readonly headers: ResponseHeaders }[] = []
  const seen = telephony.invite({
    requestUri: party(CALLED),
    to: party(CALLED),
    from: party(from, 'Alice'),
    source: { address: PBX, port: 5060, transport: 'udp' },
    headers: privacy === '' ? [] : [{ name: 'Privacy', value: privacy }],
    reject: (status, _reason, headers = {}) => answers.push({ status, headers }),
  })
  await waitUntil('an answer', () => answers.length > 0 || seen.leg !== undefined)
  return answers[0] ?? { status: 200, headers: {} }
}

describe("a PBX's call to a number of another account of the server", () => {
  it('is one leg, and a call, a record and a charge of each account', async () => {
    await using t = await setUp()
    await t.rate('outbound')
    await t.rate('inbound')
    await t.pay(t.caller.sid, 10_000)
    await t.pay(t.callee.sid, 10_000)
    expect((await ask(t)).status).toBe(200)
    const leg = await t.telephony.leg(0)
    leg.pickUp()
    await waitUntil('both talk', async () => {
      const { out, in: into } = await t.pair()
      return out.status === 'in-progress' && into.status === 'in-progress'
    })
    expect((await t.balance(t.caller)).reserved).toBeGreaterThan(0)
    leg.end('remote-hangup', 200)
    await t.isOver()
    expect(t.telephony.legs).toHaveLength(1)
    const { out, in: into } = await t.pair()
    expect(out).toMatchObject({
      status: 'completed',
      direction: 'outbound-dial',
      from: CALLER,
      to: CALLED,
      price: 3_000,
    })
    expect(into).toMatchObject({
      status: 'completed',
      direction: 'inbound',
      from: CALLER,
      to: CALLED,
      price: 3_000,
    })
    const money = { amount: 7_000, reserved: 0 }
    expect([await t.balance(t.caller), await t.balance(t.callee)]).toEqual([money, money])
    const record = { ip: PBX, caller: CALLER, destination: CALLED, amount: 3_000 }
    expect(await t.cdrs(t.caller)).toMatchObject([{ ...record, direction: 'outbound' }])
    expect(await t.cdrs(t.callee)).toMatchObject([{ ...record, direction: 'inbound' }])
  })

  it('is 402 without money of the caller, and no call of the called account', async () => {
    await using t = await setUp()
    await t.rate('outbound')
    expect((await ask(t)).status).toBe(402)
    await waitUntil('the refusal is stored', async () => (await t.callsOf(t.caller)).length === 1)
    expect(await t.callsOf(t.caller)).toMatchObject([{ status: 'failed', sipStatus: 402 }])
    expect(await t.callsOf(t.callee)).toEqual([])
    expect(t.telephony.legs).toEqual([])
    // A free call of the same PBX has its turn: the refused one left none taken.
    await t.pay(t.caller.sid, 10_000)
    expect((await ask(t)).status).toBe(200)
  })

  it('is 480 without money of the called account, and costs the caller nothing', async () => {
    await using t = await setUp()
    await t.rate('outbound')
    await t.rate('inbound')
    await t.pay(t.caller.sid, 10_000)
    expect((await ask(t)).status).toBe(480)
    await waitUntil('the refusal is stored', async () => (await t.callsOf(t.callee)).length === 1)
    expect(await t.callsOf(t.caller)).toEqual([])
    expect(await t.balance(t.caller)).toEqual({ amount: 10_000, reserved: 0 })
  })

  it.each<[string, object, number]>([
    ['the calls at once of the caller', { concurrentCalls: 1 }, 486],
    ['the calls at once to the number', { callsToOneNumber: 1 }, 503],
  ])('keeps to %s', async (_title, settings, status) => {
    await using t = await setUp(settings)
    expect((await ask(t)).status).toBe(200)
    expect((await ask(t)).status).toBe(status)
    const leg = await t.telephony.leg(0)
    leg.end('canceled', 487)
    await t.isOver()
    expect((await ask(t)).status).toBe(200)
  })

  it.each<[string, object, RegExp]>([
    ['a denied prefix', { destinations: { allowed: [], denied: ['+1202'] } }, /13225/],
    ['a caller ID that is not its own', { callerIds: 'verified' }, /13247/],
  ])('is 403 with %s', async (_title, settings, warning) => {
    await using t = await setUp(settings)
    const { status, headers } = await ask(t)
    expect([status, headers['Warning']]).toEqual([403, expect.stringMatching(warning)])
    expect(await t.callsOf(t.callee)).toEqual([])
  })

  it('shows the called account neither number nor name of a caller that hides', async () => {
    await using t = await setUp()
    expect((await ask(t, { privacy: 'id' })).status).toBe(200)
    const { in: into } = await t.pair()
    expect([into.from, into.callerName]).toEqual(['anonymous', undefined])
  })

  it('that is taken back is canceled for both', async () => {
    await using t = await setUp()
    await ask(t)
    ;(await t.telephony.leg(0)).end('canceled', 487)
    await t.isOver()
    const { out, in: into } = await t.pair()
    expect([out.status, into.status]).toEqual(['canceled', 'canceled'])
  })

  it('that the called party refuses is busy for both', async () => {
    await using t = await setUp()
    await ask(t)
    ;(await t.telephony.leg(0)).end('rejected', 486)
    await t.isOver()
    const { out, in: into } = await t.pair()
    expect([out.status, into.status]).toEqual(['busy', 'busy'])
  })

  it.each(['caller', 'callee'] as const)('is hung up by the API of the %s', async (whose) => {
    await using t = await setUp()
    await ask(t)
    const leg = await t.telephony.leg(0)
    leg.pickUp()
    await waitUntil('both talk', async () => {
      const both = await t.pair()
      return [both.out, both.in].every(({ status }) => status === 'in-progress')
    })
    const { out, in: into } = await t.pair()
    const { accountSid, sid } = whose === 'caller' ? out : into
    await t.calls.update(accountSid, sid, { end: 'completed' })
    await t.isOver()
    const after = await t.pair()
    expect([leg.state, after.out.status, after.in.status]).toEqual([
      'ended',
      'completed',
      'completed',
    ])
  })

  it('runs no document of the caller', async () => {
    await using t = await setUp()
    await ask(t)
    ;(await t.telephony.leg(0)).pickUp()
    await waitUntil('it talks', async () => (await t.pair()).out.status === 'in-progress')
    const { out } = await t.pair()
    const document = { type: 'inline', text: '<Response/>' } as const
    await expect(t.calls.update(t.caller.sid, out.sid, { document })).rejects.toMatchObject({
      code: 'call-not-in-progress',
    })
  })

  it('ends when the money of the caller is spent', async () => {
    await using t = await setUp()
    await t.db.write((tx) =>
      putRates(
        tx,
        [
          {
            accountSid: '',
            direction: 'outbound',
            prefix: '+1',
            perMinute: 600_000,
            minimumSeconds: 1,
            incrementSeconds: 1,
            description: '',
          },
        ],
        1,
      ),
    )
    t.rateBook.changed()
    await t.pay(t.caller.sid, 100)
    expect((await ask(t)).status).toBe(200)
    ;(await t.telephony.leg(0)).pickUp()
    await t.isOver()
    expect(await t.balance(t.caller)).toEqual({ amount: 0, reserved: 0 })
    const { in: into } = await t.pair()
    expect(into.status).toBe('completed')
  })

  it('to a number of its own account is one call, as before', async () => {
    await using t = await setUp()
    await t.numbers.take(CALLED)
    await t.numbers.assign(t.caller.sid, CALLED, ROUTING)
    expect((await ask(t)).status).toBe(200)
    await waitUntil('it is stored', async () => (await t.callsOf(t.caller)).length > 0)
    expect(await t.callsOf(t.caller)).toMatchObject([{ direction: 'inbound', to: CALLED }])
  })
})
