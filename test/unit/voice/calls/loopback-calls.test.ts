import { describe, expect, it } from 'vitest'
import type { IncomingInvite } from '../../../../src/voice/telephony/port.js'
import { waitUntil } from '../../../support/time/wait-until.js'
import { PLAN, setUpCalls } from '../../../support/voice/calls-fixture.js'

const NUMBER = '+15005550100'
const CALLER = '+15005550000'
const HERE = { host: 'localhost', displayName: undefined }
const party = (user: string) => ({ ...HERE, user, uri: `sip:${user}@localhost` })

async function setUp() {
  const t = await setUpCalls()
  await t.numbers.assign(t.account.sid, NUMBER, { voiceUrl: 'http://app.test/voice' })
  return t
}
type Fixture = Awaited<ReturnType<typeof setUp>>

/** A call to the number, as the adapter hands it on: `statuses` are those of its refusals. */
function calledByLoopback(
  { telephony }: Fixture,
  hops: number,
  change: Partial<IncomingInvite> = {},
) {
  const statuses: number[] = []
  const seen = telephony.invite({
    requestUri: party(NUMBER),
    to: party(NUMBER),
    from: party(CALLER),
    source: { address: '', port: 0, transport: 'inside' },
    facts: undefined,
    loopback: { hops },
    reject: (status) => statuses.push(status),
    ...change,
  })
  return { seen, statuses }
}

describe('a call to a number that an account of this server holds', () => {
  it('is a loopback call, and goes to no carrier', async () => {
    await using t = await setUp()
    await t.calls.create(t.account, { to: NUMBER, from: CALLER, plan: PLAN })
    const leg = await t.telephony.leg(0)
    expect(leg.request).toMatchObject({
      uri: `sip:${NUMBER}@localhost`,
      from: { user: CALLER },
      loopback: { hops: 1 },
    })
    leg.end('rejected', 404)
    expect(await t.completed()).toEqual(['initiated', 'failed'])
    expect(t.telephony.legs).toHaveLength(1)
  })

  it('goes to a carrier when nobody holds the number', async () => {
    await using t = await setUp()
    await t.calls.create(t.account, { to: '+15005550101', from: CALLER, plan: PLAN })
    const leg = await t.telephony.leg(0)
    expect(leg.request).toMatchObject({ uri: 'sip:+15005550101@127.0.0.1:5070;transport=udp' })
    expect(leg.request?.loopback).toBeUndefined()
    leg.end('rejected', 404)
    await t.completed()
  })

  it('is a call of the account that holds it, without an origin, and knows how far it came', async () => {
    await using t = await setUp()
    const { seen } = calledByLoopback(t, 3)
    await waitUntil('it is taken', () => seen.leg !== undefined)
    const { items } = await t.calls.list(t.account.sid, {}, { offset: 0, limit: 5 })
    expect(items).toMatchObject([{ direction: 'inbound', to: NUMBER, from: CALLER }])
    const call = await t.calls.fetch(t.account.sid, items[0]?.sid ?? '')
    expect(call).toMatchObject({ sipOrigin: undefined, plan: { insideHops: 3 } })
    seen.leg?.end('canceled', 487)
    await waitUntil('it is over', () => t.calls.liveCount() === 0)
  })

  it('is refused after five that led one to the other', async () => {
    await using t = await setUp()
    const taken = calledByLoopback(t, 5)
    await waitUntil('it is taken', () => taken.seen.leg !== undefined)
    taken.seen.leg?.end('canceled', 487)
    const { statuses } = calledByLoopback(t, 6)
    await waitUntil('it is refused', () => statuses.length > 0)
    expect(statuses).toEqual([482])
    await waitUntil('it is over', () => t.calls.liveCount() === 0)
  })

  it('finds nobody where the number was given back meanwhile', async () => {
    await using t = await setUp()
    const { statuses } = calledByLoopback(t, 1, { requestUri: party('+15005550109') })
    await waitUntil('it is refused', () => statuses.length > 0)
    expect(statuses).toEqual([404])
  })

  it('is taken while the server lets its calls end, unlike a new one', async () => {
    await using t = await setUp()
    const first = calledByLoopback(t, 1)
    await waitUntil('it is taken', () => first.seen.leg !== undefined)
    const drained = t.calls.drain(20_000, new AbortController().signal)
    const second = calledByLoopback(t, 2)
    await waitUntil('it is taken', () => second.seen.leg !== undefined)
    expect(t.telephony.invite({}).rejected).toEqual([503])
    for (const { seen } of [first, second]) seen.leg?.end('canceled', 487)
    await drained
  })
})
