import { describe, expect, it } from 'vitest'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'

/** A lab phone that answers and stays silent. */
const SILENT = '+15005550002'
/** A number of the phone of the test. */
const RINGING = '+15557770001'
const CALL = {
  To: SILENT,
  From: '+15005550000',
  Markup: '<Response><Pause length="60"/></Response>',
}
const POLL = { timeout: 45_000, interval: 200 }

/** Gives the first account a balance, and every call a rate of so many dollars for a minute. */
async function setUp(t: RunningTrunkline, balance: number, rate: number): Promise<string> {
  const path = `/accounts/${t.account.sid}`
  const given = await t.adminApi('POST', `${path}/adjustments`, { amount: balance })
  expect(given.status).toBe(201)
  const answer = await fetch(`${t.admin}/rates/imports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${t.adminToken}`, 'content-type': 'text/csv' },
    body: `prefix,rate,minimum,increment\n+1,${rate},1,1\n`,
  })
  expect(await answer.json()).toMatchObject({ status: 'completed', added: 1 })
  return path
}

const listOf = async (t: RunningTrunkline) =>
  (await t.api('GET', '/Calls.json?PageSize=100')).body['calls'] as Record<string, string>[]

describe('a balance of one dollar', () => {
  it('is spent by twenty calls at once, and not beyond', async () => {
    // Ten seconds of talking are a dollar, and each call reserves one at a time.
    await using t = await startTrunkline({ CALL_RESERVE_SECONDS: '1' })
    using phone = await SipPeer.open()
    const carrier = { host: '127.0.0.1', port: phone.port, prefixes: ['+1555'] }
    expect((await t.adminApi('PUT', '/carriers/phones', carrier)).status).toBe(200)
    const path = await setUp(t, 1, 6)
    const asked = await Promise.all(
      Array.from({ length: 20 }, () => t.api('POST', '/Calls.json', { ...CALL, To: RINGING })),
    )
    const statuses = asked.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(10)
    const refused = asked.filter(({ status }) => status === 402)
    expect(refused).toHaveLength(10)
    for (const { body } of refused) expect(body).toMatchObject({ code: 20402, status: 402 })
    // Nobody talks, and so reserves more, before all have asked.
    await expect.poll(() => phone.calls.length, POLL).toBe(10)
    await Promise.all(phone.calls.map((call) => call.answer()))
    await expect
      .poll(async () => (await listOf(t)).every(({ status }) => status === 'completed'), POLL)
      .toBe(true)
    expect((await t.adminApi('GET', `${path}/balance`)).body).toMatchObject({
      balance: 0,
      reserved: 0,
    })
    const prices = (await listOf(t)).map(({ price }) => Number(price))
    expect(prices.reduce((sum, price) => sum + price, 0)).toBeCloseTo(-1, 10)
    expect((await t.adminApi('GET', '/ledger/check')).body).toEqual({ faults: [] })
    expect((await t.metrics())['ledger_faults']).toBe(0)
  })

  it('keeps one call up for as long as it pays for, by renewals', async () => {
    await using t = await startTrunkline({ CALL_RESERVE_SECONDS: '1' })
    const path = await setUp(t, 1, 20)
    const { sid } = await t.createCall(CALL)
    await expect.poll(async () => (await t.fetchCall(sid)).status, POLL).toBe('completed')
    const call = await t.fetchCall(sid)
    expect(call['price']).toBe('-1.0000')
    const answer = await t.adminApi('GET', `${path}/balance`)
    expect(answer.body).toMatchObject({ balance: 0, reserved: 0 })
    const events = (await t.api('GET', `/Calls/${sid}/Events.json`)).body
    expect(JSON.stringify(events)).toContain('20402')
    const headers = { authorization: `Bearer ${t.account.secret}` }
    const shown = await (await fetch(`${t.http}/v2.2/account/cdr`, { headers })).json()
    expect(shown).toMatchObject({
      data: { cdr: [{ value: { ip: '127.0.0.1', dst: SILENT, ba: '1.000000' } }] },
    })
  })
})
