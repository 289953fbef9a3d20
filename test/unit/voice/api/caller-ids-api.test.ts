import { describe, expect, it } from 'vitest'
import type { Account } from '../../../../src/accounts/accounts.js'
import { createPublicApp } from '../../../../src/platform/http/public-app.js'
import { createLogger } from '../../../../src/platform/log.js'
import { createVoiceApi } from '../../../../src/voice/api/voice-api.js'
import { waitUntil } from '../../../support/time/wait-until.js'
import { paramsOf, setUpCalls } from '../../../support/voice/calls-fixture.js'

type Body = Readonly<Record<string, unknown>>
type Form = Readonly<Record<string, string>>

const NUMBER = '+15005550001'
const STATUS = 'http://app.test/verified'
const RFC_2822 = expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000$/) as unknown

async function setUp() {
  const bench = await setUpCalls()
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log: createLogger('silent'),
    mount: [createVoiceApi({ ...bench, log: createLogger('silent') })],
  })
  const as = (account: Account) => async (method: string, path: string, form?: Form) => {
    const basic = Buffer.from(`${account.sid}:${account.secret}`).toString('base64')
    const answer = await app.request(`/2010-04-01/Accounts/${account.sid}${path}`, {
      method,
      headers: { authorization: `Basic ${basic}` },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    })
    const text = await answer.text()
    return { status: answer.status, text, body: (text === '' ? {} : JSON.parse(text)) as Body }
  }
  const api = as(bench.account)
  const verify = (form: Form = {}) =>
    api('POST', '/OutgoingCallerIds.json', { PhoneNumber: NUMBER, ...form })
  /** Makes a caller ID without a call, as a verification that succeeded leaves it. */
  const verified = async (phoneNumber = NUMBER, account = bench.account) => {
    const sid = `PN${'a'.repeat(28)}${phoneNumber.slice(-4)}`
    const row = { sid, accountSid: account.sid, phoneNumber: phoneNumber, friendlyName: 'desk' }
    await bench.db.write((tx) =>
      tx
        .insertInto('caller_ids')
        .values({ ...row, createdAt: 0, updatedAt: 0 })
        .execute(),
    )
    return sid
  }
  const told = () => bench.callbacks.filter(({ kind }) => kind === 'caller-id').map(paramsOf)
  return { ...bench, as, api, verify, verified, told }
}

describe('a request to verify a number', () => {
  it('is answered 200 with the code and the call', async () => {
    await using t = await setUp()
    const { status, body } = await t.verify({ PhoneNumber: '(500) 555-0001' })
    expect(status).toBe(200)
    expect(body).toEqual({
      account_sid: t.account.sid,
      phone_number: NUMBER,
      friendly_name: '(500) 555-0001',
      validation_code: expect.stringMatching(/^\d{6}$/) as unknown,
      call_sid: expect.stringMatching(/^CA[0-9a-f]{32}$/) as unknown,
    })
    const leg = await t.telephony.leg(0)
    leg.pickUp()
    const call = await t.calls.fetch(t.account.sid, String(body['call_sid']))
    expect(call).toMatchObject({ to: NUMBER, from: NUMBER, direction: 'outbound-api' })
    const rows = await t.db.read.selectFrom('caller_id_verifications').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(String(body['validation_code']))
  })

  it.each<[string, Form, number]>([
    ['no number', { PhoneNumber: '' }, 21401],
    ['a number that is none', { PhoneNumber: 'nobody' }, 21401],
    ['a SIP URI', { PhoneNumber: 'sip:a@pbx.test' }, 21401],
    ['a blocked number', { PhoneNumber: '+19005550001' }, 21216],
    ['a premium number with digits too many', { PhoneNumber: '+1900555123456' }, 21216],
    ['a name that is too long', { FriendlyName: 'x'.repeat(65) }, 20002],
    ['a delay beyond a minute', { CallDelay: '61' }, 21454],
    ['a delay that is no number', { CallDelay: 'soon' }, 21454],
    ['an extension with other characters', { Extension: '12;3' }, 21206],
    ['an extension that could dial on', { Extension: '12025550143#12025' }, 21206],
    ['an extension of pauses', { Extension: 'wwwww1' }, 21206],
    ['a callback that is no URL', { StatusCallback: 'app.test' }, 21456],
    [
      'a callback method that is none',
      { StatusCallback: STATUS, StatusCallbackMethod: 'PUT' },
      21403,
    ],
  ])('is refused for %s, and leaves nothing behind', async (_why, form, code) => {
    await using t = await setUp()
    expect(await t.verify(form)).toMatchObject({ status: 400, body: { code } })
    expect((await t.calls.list(t.account.sid, {}, { offset: 0, limit: 1 })).total).toBe(0)
    expect(await t.db.read.selectFrom('caller_id_verifications').selectAll().execute()).toEqual([])
  })

  it('is refused for a number that is verified, and not for what another account has', async () => {
    await using t = await setUp()
    const other = await t.accounts.create({ friendlyName: 'other' })
    await t.verified(NUMBER, other)
    expect((await t.verify()).status).toBe(200)
    await t.verified('+15005550002')
    expect(await t.verify({ PhoneNumber: '+15005550002' })).toMatchObject({
      status: 400,
      body: { code: 21450 },
    })
    expect((await t.calls.list(t.account.sid, {}, { offset: 0, limit: 9 })).total).toBe(1)
  })

  it('is refused while a call to the number is under way: nobody is called twice at once', async () => {
    await using t = await setUp()
    const [first, second] = await Promise.all([t.verify(), t.verify()])
    expect([first.status, second.status].sort()).toEqual([200, 429])
    const leg = await t.telephony.leg(0)
    leg.end('rejected', 486)
    await waitUntil('the call is over', () => t.calls.liveCount() === 0)
    await waitUntil('the number is free', async () => (await t.verify()).status === 200)
  })

  it('calls one number five times in an hour, whichever accounts ask', async () => {
    await using t = await setUp()
    for (let made = 0; made < 5; made += 1) {
      expect((await t.verify()).status).toBe(200)
      const leg = await t.telephony.leg(made)
      leg.end('rejected', 486)
      const pending = () => t.db.read.selectFrom('caller_id_verifications').selectAll().execute()
      await waitUntil('the call is over', async () => (await pending()).length === 0)
    }
    expect(await t.verify()).toMatchObject({ status: 429, body: { code: 20429 } })
    expect((await t.verify({ PhoneNumber: '+15005550002' })).status).toBe(200)
  })

  it('makes thirty calls of one account in an hour', async () => {
    await using t = await setUp()
    const numbers = Array.from({ length: 31 }, (_, index) => `+150055501${10 + index}`)
    const answers = await Promise.all(numbers.map((PhoneNumber) => t.verify({ PhoneNumber })))
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 200), 429])
  })

  it.each<[string, 'rejected' | 'no-answer', number, string]>([
    ['is busy', 'rejected', 486, 'busy'],
    ['declines', 'rejected', 603, 'no-answer'],
    ['never answers', 'no-answer', 487, 'no-answer'],
    ['is not in service', 'rejected', 404, 'failed'],
  ])('fails once, and says so, when the phone %s', async (_what, cause, sipStatus, status) => {
    await using t = await setUp()
    const { body } = await t.verify({ StatusCallback: STATUS })
    const leg = await t.telephony.leg(0)
    leg.end(cause, sipStatus)
    await waitUntil('it is reported', () => t.told().length > 0)
    expect(t.told()).toHaveLength(1)
    expect(t.told()[0]).toMatchObject({
      CallSid: body['call_sid'],
      AccountSid: t.account.sid,
      To: NUMBER,
      CallStatus: status,
      VerificationStatus: 'failed',
    })
    expect(t.told()[0]).not.toHaveProperty('OutgoingCallerIdSid')
    expect((await t.api('GET', '/OutgoingCallerIds.json')).body['outgoing_caller_ids']).toEqual([])
  })

  it('waits for CallDelay before it calls, and can be canceled meanwhile', async () => {
    await using t = await setUp()
    const { body } = await t.verify({ CallDelay: '60', StatusCallback: STATUS })
    const sid = String(body['call_sid'])
    expect((await t.calls.fetch(t.account.sid, sid)).status).toBe('queued')
    expect(t.telephony.legs).toHaveLength(0)
    await t.api('POST', `/Calls/${sid}.json`, { Status: 'canceled' })
    await waitUntil('it is reported', () => t.told().length > 0)
    expect(t.told()[0]).toMatchObject({ CallStatus: 'canceled', VerificationStatus: 'failed' })
  })
})

describe('the OutgoingCallerIds resource', () => {
  it('lists, finds, renames and deletes verified numbers', async () => {
    await using t = await setUp()
    const sid = await t.verified()
    const shown = {
      sid,
      account_sid: t.account.sid,
      friendly_name: 'desk',
      phone_number: NUMBER,
      date_created: RFC_2822,
      date_updated: RFC_2822,
      uri: `/2010-04-01/Accounts/${t.account.sid}/OutgoingCallerIds/${sid}.json`,
    }
    expect((await t.api('GET', `/OutgoingCallerIds/${sid}.json`)).body).toEqual(shown)
    const found = async (query: string) =>
      (await t.api('GET', `/OutgoingCallerIds.json${query}`)).body['outgoing_caller_ids']
    expect(await found('')).toEqual([shown])
    expect(await found(`?PhoneNumber=${encodeURIComponent(NUMBER)}`)).toEqual([shown])
    expect(await found('?PhoneNumber=%2B15005550009')).toEqual([])
    expect(await found('?FriendlyName=desk')).toEqual([shown])
    expect(await found('?FriendlyName=des')).toEqual([])
    const renamed = await t.api('POST', `/OutgoingCallerIds/${sid}.json`, { FriendlyName: 'hall' })
    expect(renamed).toMatchObject({ status: 200, body: { sid, friendly_name: 'hall' } })
    expect((await t.api('DELETE', `/OutgoingCallerIds/${sid}.json`)).status).toBe(204)
    expect((await t.api('GET', `/OutgoingCallerIds/${sid}.json`)).status).toBe(404)
  })

  it("answers for another account's in the very words of one that does not exist", async () => {
    await using t = await setUp()
    const sid = await t.verified()
    const other = t.as(await t.accounts.create({ friendlyName: 'other' }))
    const nobody = `PN${'0'.repeat(32)}`
    for (const method of ['GET', 'POST', 'DELETE']) {
      const form = method === 'POST' ? { FriendlyName: 'mine' } : undefined
      const theirs = await other(method, `/OutgoingCallerIds/${sid}.json`, form)
      const absent = await other(method, `/OutgoingCallerIds/${nobody}.json`, form)
      expect(theirs.status).toBe(404)
      expect(theirs.text.replaceAll(sid, nobody)).toBe(absent.text)
    }
    expect((await other('GET', '/OutgoingCallerIds.json')).body).toMatchObject({ total: 0 })
  })
})

describe('the caller IDs of an account that may show only numbers that it holds', () => {
  const call = (From: string, To = '+15005550002'): Form => ({ To, From, Twiml: '<Response/>' })

  it.each<[string, Form, number]>([
    ['a number of nobody', call('+15551110000'), 21210],
    ['a short code', call('12345'), 21210],
    ['a SIP URI', call('sip:me@pbx.test'), 21210],
    ['no number at all', call('me'), 21212],
  ])('are refused for %s', async (_what, form, code) => {
    await using t = await setUp()
    await t.accounts.update(t.account.sid, { settings: { callerIds: 'owned-or-verified' } })
    expect(await t.api('POST', '/Calls.json', form)).toMatchObject({ status: 400, body: { code } })
    expect((await t.calls.list(t.account.sid, {}, { offset: 0, limit: 1 })).total).toBe(0)
  })

  it('are taken for a number of its own, a verified one, and any name towards a SIP URI', async () => {
    await using t = await setUp()
    await t.accounts.update(t.account.sid, { settings: { callerIds: 'owned-or-verified' } })
    await t.numbers.assign(t.account.sid, '+15551112222', {
      voiceUrl: undefined,
      voiceMethod: 'POST',
      voiceFallbackUrl: undefined,
      voiceFallbackMethod: 'POST',
      statusCallback: undefined,
      statusCallbackMethod: 'POST',
    })
    const sid = await t.verified()
    const statusOf = async (form: Form) => (await t.api('POST', '/Calls.json', form)).status
    expect(await statusOf(call('+15551112222'))).toBe(201)
    expect(await statusOf(call('(500) 555-0001'))).toBe(201)
    expect(await statusOf(call('anna', 'sip:bob@pbx.test'))).toBe(201)
    await t.api('DELETE', `/OutgoingCallerIds/${sid}.json`)
    expect(await statusOf(call(NUMBER))).toBe(400)
    const other = await t.accounts.create({ friendlyName: 'other' })
    const theirs = await t.as(other)('POST', '/Calls.json', call('+15551110000'))
    expect(theirs.status).toBe(201)
  })
})
