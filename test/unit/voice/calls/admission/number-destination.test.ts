import { describe, expect, it } from 'vitest'
import { changeNumberSettings } from '../../../../../src/numbers/number-settings.js'
import { systemClock } from '../../../../../src/platform/clock.js'
import type { IncomingInvite } from '../../../../../src/voice/telephony/port.js'
import { waitUntil } from '../../../../support/time/wait-until.js'
import { setUpCalls } from '../../../../support/voice/calls-fixture.js'

type Voice = Awaited<ReturnType<typeof setUpCalls>>

const NUMBER = '+12025550143'
const OUTSIDE = '+15005550001'

async function hold(t: Voice, e164: string, change: object = {}): Promise<void> {
  const { number } = await t.numbers.assign(t.account.sid, e164, {})
  await t.db.write((tx) => changeNumberSettings(tx, number.sid, change, 1))
}

/** A carrier's call to the number: resolves with its refusal, or with 200 once it was taken. */
async function call(t: Voice, to = NUMBER, change: Partial<IncomingInvite> = {}): Promise<number> {
  const seen = t.telephony.invite({
    ...change,
    requestUri: { user: to, host: '198.51.100.1', uri: `sip:${to}@198.51.100.1` },
  })
  await waitUntil('an answer', () => seen.rejected.length > 0 || seen.leg !== undefined)
  return seen.rejected[0] ?? 200
}

const dialled = async (t: Voice, index = 1) => (await t.telephony.leg(index)).request

describe("a carrier's call to a number", () => {
  it('goes to its forward, before any route', async () => {
    await using t = await setUpCalls()
    await hold(t, NUMBER, { forwardTo: OUTSIDE, route: 5 })
    expect(await call(t)).toBe(200)
    expect(await dialled(t)).toMatchObject({
      uri: `sip:${OUTSIDE}@127.0.0.1:5070;transport=udp`,
      from: { user: '+15553334444' },
    })
  })

  it('follows forwards from number to number, and not in circles', async () => {
    await using t = await setUpCalls()
    await hold(t, NUMBER, { forwardTo: '+12025550144' })
    await hold(t, '+12025550144', { forwardTo: OUTSIDE })
    await call(t)
    expect((await dialled(t))?.uri).toContain(OUTSIDE)
    await hold(t, '+12025550144', { forwardTo: NUMBER })
    expect(await call(t)).toBe(482)
  })

  it('tells the carrier which numbers have forwarded it (RFC 5806, RFC 7044)', async () => {
    await using t = await setUpCalls()
    await hold(t, NUMBER, { forwardTo: '+12025550144' })
    await hold(t, '+12025550144', { forwardTo: OUTSIDE })
    await call(t)
    const at = '@127.0.0.1'
    expect((await dialled(t))?.headers).toEqual({
      Diversion: `<sip:+12025550144${at}>;reason=unconditional, <sip:${NUMBER}${at}>;reason=unconditional`,
      'History-Info': [
        `<sip:${NUMBER}${at}>;index=1`,
        `<sip:+12025550144${at};cause=302>;index=1.1;mp=1`,
        `<sip:${OUTSIDE}${at};cause=302>;index=1.1.1;mp=1.1`,
      ].join(', '),
    })
  })

  it.each([
    ['caller', '+15553334444'],
    ['number', NUMBER],
  ] as const)('that is forwarded to a gateway has the caller that its setting says: %s', async (...row) => {
    const [forwardedCaller, user] = row
    await using t = await setUpCalls()
    const settings = { gateway: '198.41.0.4:5080', prefix: '', limit: 1, forwardedCaller }
    const { id } = await t.gateways.add(t.account.sid, settings)
    await hold(t, NUMBER, { forwardTo: '+12025550144' })
    await hold(t, '+12025550144', { route: id })
    await call(t)
    const request = await dialled(t)
    expect(request?.from.user).toBe(user)
    expect(request?.headers?.['Diversion']).toBe(
      `<sip:${NUMBER}@198.41.0.4:5080>;reason=unconditional`,
    )
  })

  it('has one hop less behind it each time, so that carriers that send it back end it (RFC 7332)', async () => {
    await using t = await setUpCalls()
    await hold(t, NUMBER, { forwardTo: OUTSIDE })
    expect(await call(t, NUMBER, { maxForwards: 2 })).toBe(200)
    expect(await dialled(t)).toMatchObject({ maxForwards: 1 })
    expect(await call(t, NUMBER, { maxForwards: 0 })).toBe(483)
    expect(t.telephony.legs).toHaveLength(2)
  })

  it('goes to a gateway with prefix and translation, and back to its application', async () => {
    await using t = await setUpCalls()
    const settings = { gateway: '198.41.0.4:5080', prefix: '77', limit: 1 }
    const { id } = await t.gateways.add(t.account.sid, settings)
    await hold(t, NUMBER, { route: id })
    await call(t)
    const first = await t.telephony.leg(1)
    expect(first.request?.uri).toBe('sip:7712025550143@198.41.0.4:5080')
    expect(first.request?.from).toMatchObject({ user: '+15553334444' })
    // The gateway takes one call at once.
    expect(await call(t)).toBe(486)
    first.end('rejected', 486)
    await waitUntil('the call is over', () => t.calls.liveCount() === 0)
    await hold(t, NUMBER, { translation: '100' })
    await call(t)
    const second = await t.telephony.leg(3)
    expect(second.request?.uri).toBe('sip:77100@198.41.0.4:5080')
    second.end('rejected', 404)
    await waitUntil('the call is over', () => t.calls.liveCount() === 0)
    await hold(t, NUMBER, { route: 3 })
    expect(await call(t)).toBe(480)
  })

  it('brings the name of its caller to the gateway and the record, where that is looked up', async () => {
    await using t = await setUpCalls()
    const other = await t.accounts.create({ friendlyName: 'other' })
    const caller = await t.numbers.assign(other.sid, '+15553334444', {})
    const name = (change: object, sid: string) =>
      t.db.write((tx) => changeNumberSettings(tx, sid, change, 1))
    await name({ callerName: 'ACME LTD' }, caller.number.sid)
    const gateway = { gateway: '198.41.0.4:5080', prefix: '', limit: 9 }
    const { id } = await t.gateways.add(t.account.sid, gateway)
    await hold(t, NUMBER, { route: id })
    const recorded = async () => {
      const page = { limit: 50, offset: 0 }
      const { items } = await t.calls.list(t.account.sid, { to: NUMBER }, page)
      // Both calls may be of one millisecond, and are then in any order.
      return items.map(({ callerName = '' }) => callerName).sort()
    }
    await call(t)
    expect((await dialled(t))?.from.displayName).toBeUndefined()
    expect(await recorded()).toEqual([''])
    await hold(t, NUMBER, { looksUpCallerName: true })
    await call(t)
    expect((await dialled(t, 3))?.from.displayName).toBe('ACME LTD')
    expect(await recorded()).toEqual(['', 'ACME LTD'])
  })

  it('is taken, with the name of its INVITE, when the look-up of names fails', async () => {
    const lookups = { LOOKUP_PROVIDER_URL: 'http://127.0.0.1:1/' }
    await using t = await setUpCalls(undefined, {}, lookups)
    await hold(t, NUMBER, { forwardTo: OUTSIDE, looksUpCallerName: true })
    expect(await call(t)).toBe(200)
    expect((await dialled(t))?.from.displayName).toBeUndefined()
  })

  it('waits for the name of its caller, which is no delay of the server', async () => {
    const lookups = { LOOKUP_PROVIDER_URL: 'http://silent.test/' }
    await using t = await setUpCalls(undefined, { maxDelayMs: 60_000 }, lookups)
    await hold(t, NUMBER, { forwardTo: OUTSIDE, looksUpCallerName: true })
    const callers = Array.from({ length: 4 }, () => call(t))
    await waitUntil('the name is looked up', () => t.silentLookups.length > 0)
    // A wait that counted would last until then; the loop is late by what the machine makes it.
    expect(t.overload.delayMs(Number.MAX_SAFE_INTEGER)).toBeLessThan(60_000)
    expect(await Promise.all(callers)).toEqual([200, 200, 200, 200])
    // The look-up was given up after two seconds.
    expect(t.overload.delayMs(systemClock.monotonic())).toBeLessThan(1_500)
  })

  it('tries the hosts of a gateway one after another', async () => {
    await using t = await setUpCalls()
    const gateway = '198.41.0.4,pbx.test:5070'
    const { id } = await t.gateways.add(t.account.sid, { gateway, prefix: '', limit: 1 })
    await hold(t, NUMBER, { route: id })
    await call(t)
    const first = await t.telephony.leg(1)
    expect(first.request).toMatchObject({
      uri: 'sip:12025550143@198.41.0.4',
      progressTimeoutMs: 6_000,
    })
    first.end('unreachable', 408)
    const second = await t.telephony.leg(2)
    expect(second.request).toMatchObject({
      uri: 'sip:12025550143@pbx.test:5070',
      proxy: 'sip:198.41.0.4:5070',
    })
    expect(second.request?.progressTimeoutMs).toBeUndefined()
    second.end('unreachable', 503)
    const inbound = await t.telephony.leg(0)
    await waitUntil('it is refused', () => inbound.state === 'ended')
    // A carrier would bring a call back after a 5xx.
    expect(inbound.asked).toContain('hangup 480')
  })

  it.each([
    ['T.38, which is not carried', 5, 488],
    ['SDN', 8, 480],
    ['a gateway that does not exist', 4_711, 480],
    ['nobody who is registered', 1, 480],
    ['an application without a URL', 3, 480],
    ['an application for browsers without a URL', 6, 480],
    ['neither an application nor anybody registered', 4, 480],
    ['fax in the sound, with nobody to hear it', 2, 480],
  ])('to %s is refused', async (_title, route, status) => {
    await using t = await setUpCalls()
    await hold(t, NUMBER, { route })
    expect(await call(t)).toBe(status)
  })

  it.each([2, 3, 4, 6])('on the route %i reaches its voice application', async (route) => {
    await using t = await setUpCalls()
    const { number } = await t.numbers.assign(t.account.sid, NUMBER, { voiceUrl: 'http://a.test/' })
    await t.db.write((tx) => changeNumberSettings(tx, number.sid, { route }, 1))
    expect(await call(t)).toBe(200)
    const { items } = await t.calls.list(t.account.sid, {}, { limit: 10, offset: 0 })
    const stored = await t.calls.fetch(t.account.sid, items[0]?.sid ?? '')
    expect(stored.plan.document).toMatchObject({ type: 'url', url: 'http://a.test/' })
  })
})
