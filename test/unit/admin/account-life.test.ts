import { describe, expect, it, vi } from 'vitest'
import { AccountClosedError } from '../../../src/accounts/accounts.js'
import { createAdminApi } from '../../../src/admin/admin-api.js'
import { recurringChargesOf, startPaidCharge } from '../../../src/ledger/recurring-charges.js'
import { changeNumberSettings } from '../../../src/numbers/number-settings.js'
import { createLogger } from '../../../src/platform/log.js'
import { freeNumbers, insertNumbers } from '../../../src/porting/storage/port-storage.js'
import { quietLedger } from '../../support/billing/quiet-ledger.js'
import { waitUntil } from '../../support/time/wait-until.js'
import { PLAN, setUpCalls } from '../../support/voice/calls-fixture.js'

const TOKEN = 'operator-token'
const NUMBER = '+15551112222'
const ROUTING = {
  voiceUrl: 'http://app.test/voice',
  voiceMethod: 'POST',
  voiceFallbackUrl: undefined,
  voiceFallbackMethod: 'POST',
  statusCallback: undefined,
  statusCallbackMethod: 'POST',
} as const

const DOMAIN = {
  friendlyName: '',
  voice: {
    url: undefined,
    method: 'POST',
    fallbackUrl: undefined,
    fallbackMethod: 'POST',
    statusCallback: undefined,
    statusCallbackMethod: 'POST',
  },
  sipRegistration: false,
  secure: false,
  emergencyCallingEnabled: false,
  emergencyCallerSid: undefined,
  allowsAnyFrom: false,
  codecs: undefined,
  byocTrunkSid: undefined,
} as const

async function setUp(limits: Parameters<typeof setUpCalls>[1] = {}) {
  const bench = await setUpCalls(undefined, limits)
  const admin = createAdminApi({
    ...bench,
    version: '0.0.0',
    parts: [],
    token: TOKEN,
    metrics: () => Promise.resolve(''),
    log: createLogger('silent'),
  })
  const request = async (method: string, path: string, body?: unknown) => {
    const answer = await admin.request(path, {
      method,
      headers: { authorization: `Bearer ${TOKEN}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return {
      status: answer.status,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    }
  }
  const place = (account = bench.account) =>
    bench.calls.create(account, { to: '+15005550001', from: NUMBER, plan: PLAN })
  const statusOf = async (sid: string, account = bench.account) =>
    (await bench.calls.fetch(account.sid, sid)).status
  const errorsOf = async (sid: string) => {
    await bench.events.flush()
    const { events } = await bench.events.list(sid, { type: 'offset', offset: 0 }, 100)
    return events.filter(({ kind }) => kind === 'error').map(({ detail }) => detail['code'])
  }
  const isOpen = async (secret = bench.account.secret) =>
    (await bench.accounts.authenticate(bench.account.sid, secret)) !== undefined
  return {
    ...bench,
    path: `/accounts/${bench.account.sid}`,
    request,
    place,
    statusOf,
    errorsOf,
    isOpen,
  }
}

describe('the list of accounts', () => {
  it('has every account once, page by page, the newest first', async () => {
    await using t = await setUp()
    const before = await t.accounts.list({}, { offset: 0, limit: 100 })
    const made: string[] = before.items.map(({ sid }) => sid)
    for (let index = 0; index < 5; index += 1)
      made.push((await t.accounts.create({ friendlyName: `a${index}` })).sid)
    const seen: string[] = []
    let token: string | null = null
    do {
      const at = token === null ? '' : `&pageToken=${token}`
      const { status, body } = await t.request('GET', `/accounts?pageSize=2${at}`)
      expect(status).toBe(200)
      seen.push(...(body['accounts'] as { accountSid: string }[]).map((each) => each.accountSid))
      token = body['nextPageToken'] as string | null
    } while (token !== null)
    expect([...seen].sort()).toEqual([...made].sort())
    const times = await Promise.all(
      seen.map(async (sid) => (await t.accounts.find(sid))?.createdAt),
    )
    expect(times).toEqual([...times].sort((a, b) => Number(b) - Number(a)))
  })

  it('can be asked for one status, and refuses what it does not know', async () => {
    await using t = await setUp()
    const other = await t.accounts.create({ friendlyName: 'other' })
    await t.request('POST', `/accounts/${other.sid}/disable`)
    const { body } = await t.request('GET', '/accounts?status=suspended')
    expect(body).toMatchObject({
      accounts: [{ accountSid: other.sid, status: 'suspended' }],
      nextPageToken: null,
    })
    for (const query of ['status=gone', 'pageSize=0', 'pageSize=1001', 'pageToken=x', 'who=1'])
      expect((await t.request('GET', `/accounts?${query}`)).status, query).toBe(400)
  })
})

describe('an account that the operator disables', () => {
  it('has its calls ended with a reason, and leaves another account alone', async () => {
    await using t = await setUp()
    const call = await t.place()
    const leg = await t.telephony.leg(0)
    leg.pickUp()
    await waitUntil('the call talks', async () => (await t.statusOf(call.sid)) === 'in-progress')
    const other = await t.accounts.create({ friendlyName: 'other' })
    const theirs = await t.place(other)
    expect((await t.request('POST', `${t.path}/disable`)).body).toMatchObject({
      status: 'suspended',
    })
    await waitUntil('the call is over', async () => (await t.statusOf(call.sid)) === 'completed')
    expect(await t.errorsOf(call.sid)).toEqual([20005])
    expect(await t.statusOf(theirs.sid, other)).not.toBe('completed')
    expect(await t.errorsOf(theirs.sid)).toEqual([])
    await waitUntil('one call is left', () => t.calls.liveCount() === 1)
  })

  it('has the calls in its queue canceled', async () => {
    await using t = await setUp({ callsPerSecond: 0.000_1 })
    await t.place()
    const waiting = await t.place()
    await t.request('POST', `${t.path}/disable`)
    await waitUntil('it is over', async () => (await t.statusOf(waiting.sid)) === 'canceled')
    expect(await t.errorsOf(waiting.sid)).toEqual([20005])
  })

  it('gets no incoming calls until it is enabled again', async () => {
    await using t = await setUp()
    await t.numbers.assign(t.account.sid, NUMBER, ROUTING)
    await t.request('POST', `${t.path}/disable`)
    const refused = t.telephony.invite({ callId: 'while disabled' })
    await waitUntil('it is refused', () => refused.rejected.length > 0)
    expect(refused.rejected).toEqual([480])
    expect((await t.request('POST', `${t.path}/enable`)).body).toMatchObject({ status: 'active' })
    t.telephony.invite({ callId: 'when enabled' })
    await t.telephony.leg(0)
  })

  it('loses also a call that began while it was being disabled', async () => {
    await using t = await setUp()
    await t.accounts.setStatus(t.account.sid, 'suspended')
    const call = await t.place()
    await waitUntil('it is over', () => t.calls.liveCount() === 0)
    expect(await t.errorsOf(call.sid)).toEqual([20005])
  })
})

describe('an account that the operator deletes', () => {
  it('is closed for ever, and its number, keys and credentials are gone', async () => {
    await using t = await setUp()
    await t.numbers.assign(t.account.sid, NUMBER, ROUTING)
    const { key, secret } = await t.accountKeys.create(t.account.sid, 'robot')
    const call = await t.place()
    for (const name of ['pbx.example', 'desk.pbx.example'])
      await t.sip.domains.create(t.account.sid, name, DOMAIN)
    expect((await t.request('DELETE', t.path)).status).toBe(204)
    expect((await t.request('DELETE', t.path)).status).toBe(204)
    await waitUntil('its call is over', () => t.calls.liveCount() === 0)
    expect(await t.isOpen()).toBe(false)
    expect(await t.accounts.findBySecret(t.account.secret)).toBeUndefined()
    expect(await t.accounts.authenticate(key.sid, secret)).toBeUndefined()
    expect(await t.numbers.called(NUMBER)).toBeUndefined()
    expect(await t.sip.domains.find('pbx.example')).toBeUndefined()
    expect(await t.sip.domains.find('desk.pbx.example')).toBeUndefined()
    expect((await t.request('GET', t.path)).body).toMatchObject({ status: 'closed' })
    for (const [method, path] of [
      ['POST', `${t.path}/enable`],
      ['POST', `${t.path}/disable`],
      ['POST', `/Accounts/${t.account.sid}/RotateKey`],
      ['PATCH', t.path],
    ] as const)
      expect((await t.request(method, path, {})).status, path).toBe(409)
    expect(await t.errorsOf(call.sid)).toEqual([20005])
  })
})

describe('an account that is deleted at that moment', () => {
  it('gets no number that it claims, or that the operator gives it', async () => {
    await using t = await setUp()
    const { sid } = t.account
    expect((await t.request('DELETE', t.path)).status).toBe(204)
    const claim = () => t.numbers.claim(sid, { e164: NUMBER }, {}, quietLedger())
    await expect(claim()).rejects.toBeInstanceOf(AccountClosedError)
    await expect(t.numbers.assign(sid, NUMBER, ROUTING)).rejects.toThrow(AccountClosedError)
    expect(await t.numbers.called(NUMBER)).toBeUndefined()
    const answer = await t.request('PUT', `/numbers/${NUMBER}`, { accountSid: sid })
    expect(answer).toMatchObject({ status: 409, body: { error: `the account ${sid} is closed` } })
  })
})

it('an account that is deleted at that moment gets no SIP domain and no monthly charge', async () => {
  await using t = await setUp()
  const { sid } = t.account
  const write = t.db.write.bind(t.db)
  vi.spyOn(t.db, 'write').mockImplementationOnce(async (...work) => {
    await t.accounts.setStatus(sid, 'closed')
    return await write(...work)
  })
  const charge = { amount: 1, description: 'Support' }
  const answer = await t.request('POST', `${t.path}/recurring-charges`, charge)
  expect(answer).toMatchObject({ status: 409, body: { error: `the account ${sid} is closed` } })
  expect(await recurringChargesOf(t.db.read, sid)).toEqual([])
  const create = t.sip.domains.create(sid, 'pbx.example', DOMAIN)
  await expect(create).rejects.toBeInstanceOf(AccountClosedError)
  expect(await t.sip.domains.find('pbx.example')).toBeUndefined()
})

describe('an account that pays for another', () => {
  it('is deleted once that one is, and gets no number then', async () => {
    await using t = await setUp()
    const paid = await t.accounts.create({
      friendlyName: 'Paid',
      profile: { masterSid: t.account.sid },
    })
    const refused = await t.request('DELETE', t.path)
    expect(refused).toMatchObject({ status: 409 })
    expect(JSON.stringify(refused.body)).toContain(paid.profile.username)
    expect(await t.isOpen()).toBe(true)
    expect((await t.request('DELETE', `/accounts/${paid.sid}`)).status).toBe(204)
    expect((await t.request('DELETE', t.path)).status).toBe(204)
    const assigned = await t.request('PUT', `/numbers/${NUMBER}`, { accountSid: t.account.sid })
    expect(assigned.status).toBe(409)
    expect(await t.numbers.called(NUMBER)).toBeUndefined()
  })
})

it('a deleted account is charged nothing any more', async () => {
  await using t = await setUp()
  const charge = { accountSid: t.account.sid, amount: 1, description: 'Support', reference: '' }
  await t.db.write((tx) => startPaidCharge(tx, charge, t.clock.now()))
  expect((await t.request('DELETE', t.path)).status).toBe(204)
  expect(await recurringChargesOf(t.db.read, t.account.sid)).toEqual([])
})

describe('an account with a number on its way', () => {
  const expectRefused = async (t: Awaited<ReturnType<typeof setUp>>, number: string) => {
    const refused = await t.request('DELETE', t.path)
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      409,
      expect.stringContaining(`are porting: ${number}`),
    ])
    expect((await t.request('GET', t.path)).body).toMatchObject({ status: 'active' })
    expect(await t.isOpen()).toBe(true)
  }

  it('out is not deleted, and keeps the number', async () => {
    await using t = await setUp()
    const { number } = await t.numbers.assign(t.account.sid, NUMBER, ROUTING)
    const port = (porting: 'out' | null) =>
      t.db.write((tx) => changeNumberSettings(tx, number.sid, { porting }, 1))
    await port('out')
    await expectRefused(t, NUMBER)
    await expect(t.numbers.releaseAllOf(t.account.sid)).rejects.toMatchObject({
      code: 'number-porting',
    })
    expect(await t.numbers.called(NUMBER)).toBeDefined()
    await port(null)
    expect((await t.request('DELETE', t.path)).status).toBe(204)
    expect(await t.numbers.called(NUMBER)).toBeUndefined()
  })

  it('in is not deleted before the port is complete or cancelled', async () => {
    await using t = await setUp()
    await t.db.write(async (tx) => {
      await tx
        .insertInto('ports')
        .values({
          sid: 'PI1',
          accountSid: t.account.sid,
          pid: 'AB12C',
          ticket: 1,
          kind: 'local',
          state: 'pending',
          isSigned: 1,
          foc: null,
          changes: 1,
          message: '',
          subscriber: '{}',
          pinSealed: null,
          losingCarrier: 'Other',
          nextAt: null,
          claimedBy: null,
          claimedUntil: null,
          enteredAt: 1,
          createdAt: 1,
          updatedAt: 1,
        })
        .execute()
      await insertNumbers(tx, 'PI1', [{ e164: NUMBER, features: {} }])
    })
    await expectRefused(t, NUMBER)
    await t.db.write((tx) => freeNumbers(tx, 'PI1'))
    expect((await t.request('DELETE', t.path)).status).toBe(204)
  })
})

it('a porting number is not taken from its account', async () => {
  await using t = await setUp()
  const { number } = await t.numbers.assign(t.account.sid, NUMBER, ROUTING)
  const port = (porting: 'out' | null) =>
    t.db.write((tx) => changeNumberSettings(tx, number.sid, { porting }, 1))
  const path = `/numbers/${encodeURIComponent(NUMBER)}`
  await port('out')
  const refused = await t.request('DELETE', path)
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    409,
    expect.stringContaining('is porting'),
  ])
  expect(await t.numbers.called(NUMBER)).toBeDefined()
  await port(null)
  expect((await t.request('DELETE', path)).status).toBe(204)
})

describe('the rotation of a key', () => {
  it('ends the old one at once, unless an overlap is asked for', async () => {
    await using t = await setUp()
    const first = t.account.secret
    const rotate = async (body: object) =>
      (await t.request('POST', `/Accounts/${t.account.sid}/RotateKey`, body)).body
    const second = String((await rotate({}))['authToken'])
    expect(second).toMatch(/^[0-9a-f]{32}$/)
    expect([await t.isOpen(first), await t.isOpen(second)]).toEqual([false, true])
    const rotated = await rotate({ overlapSeconds: 60 })
    const third = String(rotated['authToken'])
    expect(Date.parse(String(rotated['formerTokenValidUntil']))).toBeGreaterThan(Date.now())
    expect([await t.isOpen(second), await t.isOpen(third)]).toEqual([true, true])
    expect((await t.accounts.findBySecret(second))?.sid).toBe(t.account.sid)
    expect((await t.accounts.find(t.account.sid))?.secret).toBe(third)
    const fourth = String((await rotate({ overlapSeconds: 0 }))['authToken'])
    expect(await Promise.all([first, second, third, fourth].map(t.isOpen))).toEqual([
      false,
      false,
      false,
      true,
    ])
  })

  it.each([-1, 1.5, 2_592_001, '60'])('refuses an overlap of %s', async (overlapSeconds) => {
    await using t = await setUp()
    const path = `${t.path}/RotateKey`
    expect((await t.request('POST', path, { overlapSeconds })).status).toBe(400)
    expect(await t.isOpen()).toBe(true)
  })
})

describe('the limits of an account', () => {
  it('let only so many of its calls be under way; the others wait, or are refused', async () => {
    await using t = await setUp()
    await t.request('PATCH', t.path, { settings: { concurrentCalls: 1, waitingCalls: 1 } })
    await t.numbers.assign(t.account.sid, NUMBER, ROUTING)
    const account = (await t.accounts.find(t.account.sid)) ?? t.account
    const first = await t.place(account)
    // The legs below are counted in the order in which the calls are dialled.
    await t.telephony.leg(0)
    const second = await t.place(account)
    await expect(t.place(account)).rejects.toMatchObject({ code: 'call-queue-full' })
    const refused = t.telephony.invite({ callId: 'one too many' })
    await waitUntil('it is refused', () => refused.rejected.length > 0)
    expect(refused.rejected).toEqual([486])
    const other = await t.accounts.create({ friendlyName: 'other' })
    await t.place(other)
    await t.telephony.leg(1)
    expect(await t.statusOf(second.sid)).toBe('queued')
    t.telephony.legs[0]?.end('rejected', 486)
    await t.telephony.leg(2)
    expect(await t.statusOf(first.sid)).toBe('busy')
  })
})

it('names the regions that an account may be limited to', async () => {
  await using t = await setUp()
  const { body } = await t.request('GET', '/regions')
  expect(body['regions']).toContainEqual({ code: 'US', name: 'United States', callingCode: '+1' })
  expect(body['regions']).toContainEqual({ code: 'GB', name: 'United Kingdom', callingCode: '+44' })
})
