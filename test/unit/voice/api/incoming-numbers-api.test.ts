import { describe, expect, it } from 'vitest'
import { balanceOf } from '../../../../src/ledger/ledger.js'
import { recurringChargesOf } from '../../../../src/ledger/recurring-charges.js'
import { changeNumberSettings } from '../../../../src/numbers/number-settings.js'
import { changeAccountRates } from '../../../../src/rating/account-rates.js'
import { type Form, setUpApi } from '../../../support/voice/api-fixture.js'

const NUMBERS = '/IncomingPhoneNumbers'
const SOME = '+15551112222'
const ABSENT = `PN${'0'.repeat(32)}`

async function setUp() {
  const t = await setUpApi()
  const claim = async (form: Form, api = t.api) => {
    const answer = await api('POST', `${NUMBERS}.json`, form)
    expect(answer.status, answer.text).toBe(201)
    return answer.body
  }
  return { ...t, claim }
}

describe('claiming a number', () => {
  it('answers every field of the resource, and null or empty for what is not set', async () => {
    await using t = await setUp()
    const body = await t.claim({ PhoneNumber: SOME })
    const sid = body['sid'] as string
    expect(body).toEqual({
      sid: expect.stringMatching(/^PN[0-9a-f]{32}$/) as unknown,
      account_sid: t.account.sid,
      phone_number: SOME,
      friendly_name: '',
      api_version: '2010-04-01',
      uri: `/2010-04-01/Accounts/${t.account.sid}/IncomingPhoneNumbers/${sid}.json`,
      origin: 'vendor',
      beta: false,
      capabilities: { voice: true, sms: false, mms: false, fax: false },
      voice_url: null,
      voice_method: 'POST',
      voice_fallback_url: null,
      voice_fallback_method: 'POST',
      voice_application_sid: '',
      voice_caller_id_lookup: false,
      voice_receive_mode: 'voice',
      sms_url: null,
      sms_method: 'POST',
      sms_fallback_url: null,
      sms_fallback_method: 'POST',
      sms_application_sid: '',
      status_callback: null,
      status_callback_method: 'POST',
      trunk_sid: null,
      address_sid: null,
      address_requirements: 'none',
      identity_sid: null,
      bundle_sid: null,
      emergency_status: 'Inactive',
      emergency_address_sid: null,
      emergency_address_status: 'unregistered',
      status: 'in-use',
      type: 'local',
      date_created: expect.stringMatching(/ \+0000$/) as unknown,
      date_updated: expect.stringMatching(/ \+0000$/) as unknown,
    })
    expect((await t.api('GET', `${NUMBERS}/${sid}.json`)).body).toEqual(body)
  })

  it('stores every setting', async () => {
    await using t = await setUp()
    const application = (await t.api('POST', '/Applications.json', {})).body['sid'] as string
    const body = await t.claim({
      PhoneNumber: SOME,
      FriendlyName: 'Front desk',
      VoiceUrl: 'https://app.test/voice',
      VoiceMethod: 'get',
      VoiceFallbackUrl: 'https://app.test/fallback',
      VoiceFallbackMethod: 'GET',
      VoiceApplicationSid: application.toUpperCase(),
      VoiceCallerIdLookup: 'true',
      VoiceReceiveMode: 'fax',
      StatusCallback: 'https://app.test/status',
      StatusCallbackMethod: 'GET',
      SmsUrl: 'https://app.test/sms',
      SmsMethod: 'GET',
      SmsFallbackUrl: 'https://app.test/sms-fallback',
      SmsFallbackMethod: 'GET',
      SmsApplicationSid: application,
    })
    expect(body).toMatchObject({
      friendly_name: '',
      voice_url: 'https://app.test/voice',
      voice_method: 'GET',
      voice_fallback_url: 'https://app.test/fallback',
      voice_fallback_method: 'GET',
      voice_application_sid: application,
      voice_caller_id_lookup: true,
      voice_receive_mode: 'fax',
      status_callback: 'https://app.test/status',
      status_callback_method: 'GET',
      sms_url: 'https://app.test/sms',
      sms_method: 'GET',
      sms_fallback_url: 'https://app.test/sms-fallback',
      sms_fallback_method: 'GET',
      sms_application_sid: application,
    })
  })

  it('again by the same account binds the number anew, under its sid', async () => {
    await using t = await setUp()
    const first = await t.claim({ PhoneNumber: SOME, VoiceUrl: 'https://app.test/1' })
    const again = await t.claim({ PhoneNumber: SOME, VoiceUrl: 'https://app.test/2' })
    expect(again).toMatchObject({ sid: first['sid'], voice_url: 'https://app.test/2' })
    expect((await t.api('GET', `${NUMBERS}.json`)).body['total']).toBe(1)
  })

  it('of another account is refused with 409 and 21422, and changes nothing', async () => {
    await using t = await setUp()
    const { sid } = await t.claim({ PhoneNumber: SOME, VoiceUrl: 'https://app.test/' })
    const theirs = t.as(await t.accounts.create({ friendlyName: 'other' }))
    const refused = await theirs('POST', `${NUMBERS}.json`, { PhoneNumber: SOME })
    expect(refused).toMatchObject({ status: 409, body: { code: 21422, status: 409 } })
    expect(refused.text).not.toContain(t.account.sid)
    expect((await theirs('GET', `${NUMBERS}.json`)).body['total']).toBe(0)
    expect((await t.api('GET', `${NUMBERS}/${String(sid)}.json`)).body['voice_url']).toBe(
      'https://app.test/',
    )
  })

  it('by two accounts at once is granted to one of them', async () => {
    await using t = await setUp()
    const theirs = t.as(await t.accounts.create({ friendlyName: 'other' }))
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 === 0 ? t.api : theirs)('POST', `${NUMBERS}.json`, { PhoneNumber: SOME }),
      ),
    )
    const granted = answers.filter(({ status }) => status === 201)
    expect(new Set(granted.map(({ body }) => body['sid'])).size).toBe(1)
    expect(granted).toHaveLength(10)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]))
  })

  it.each(['Local', 'TollFree', 'Mobile'])('at /%s is the same', async (kind) => {
    await using t = await setUp()
    const made = await t.api('POST', `${NUMBERS}/${kind}.json`, { PhoneNumber: '+18005551212' })
    expect(made).toMatchObject({ status: 201, body: { type: 'toll-free' } })
  })

  it.each<[string, Form, number]>([
    ['no number', {}, 21421],
    ['an empty number', { PhoneNumber: '' }, 21421],
    ['a number without its plus sign', { PhoneNumber: '15551112222' }, 21421],
    ['letters', { PhoneNumber: '+1555ABCDEFG' }, 21421],
    ['sixteen digits', { PhoneNumber: '+1234567890123456' }, 21421],
    ['a NUL', { PhoneNumber: '+1555\u0000' }, 21421],
    ['a VoiceUrl of another scheme', { PhoneNumber: SOME, VoiceUrl: 'ftp://a.test' }, 21402],
    ['a VoiceUrl with a NUL', { PhoneNumber: SOME, VoiceUrl: 'http://a.test/\u0000' }, 21402],
    ['a VoiceMethod that is none', { PhoneNumber: SOME, VoiceMethod: 'PUT' }, 21403],
    ['a fallback alone', { PhoneNumber: SOME, VoiceFallbackUrl: 'http://a.test/' }, 21405],
    [
      'a fallback of messages alone',
      { PhoneNumber: SOME, SmsFallbackUrl: 'http://a.test/' },
      21406,
    ],
    ['a StatusCallback that is no URL', { PhoneNumber: SOME, StatusCallback: 'here' }, 21402],
    ['an SmsMethod that is none', { PhoneNumber: SOME, SmsMethod: 'x' }, 21403],
    ['an application that is no sid', { PhoneNumber: SOME, VoiceApplicationSid: 'AP1' }, 21420],
    [
      'an application that is not there',
      { PhoneNumber: SOME, SmsApplicationSid: `AP${'1'.repeat(32)}` },
      21420,
    ],
    ['a long name', { PhoneNumber: SOME, FriendlyName: 'x'.repeat(65) }, 20002],
    ['a flag that is none', { PhoneNumber: SOME, VoiceCallerIdLookup: 'maybe' }, 20422],
    ['a mode that is none', { PhoneNumber: SOME, VoiceReceiveMode: 'telex' }, 20422],
  ])('with %s is refused, and leaves nothing', async (_title, form, code) => {
    await using t = await setUp()
    const refused = await t.api('POST', `${NUMBERS}.json`, form)
    expect(refused).toMatchObject({ status: 400, body: { code, status: 400 } })
    expect((await t.api('GET', `${NUMBERS}.json`)).body['total']).toBe(0)
  })

  it("with another account's application is refused as with one that does not exist", async () => {
    await using t = await setUp()
    const theirs = t.as(await t.accounts.create({ friendlyName: 'other' }))
    const sid = (await theirs('POST', '/Applications.json', {})).body['sid'] as string
    const absent = `AP${'0'.repeat(32)}`
    const refusal = async (application: string) => {
      const form = { PhoneNumber: SOME, VoiceApplicationSid: application }
      const { status, text } = await t.api('POST', `${NUMBERS}.json`, form)
      return `${status} ${text.replaceAll(application, 'SID')}`
    }
    expect(await refusal(sid)).toBe(await refusal(absent))
    expect(await refusal(sid)).toMatch(/^400 .*21420/)
  })
})

describe('a number of the account', () => {
  it('changes in the fields that are present, and clears those that are empty', async () => {
    await using t = await setUp()
    const { sid } = await t.claim({
      PhoneNumber: SOME,
      VoiceUrl: 'https://app.test/voice',
      VoiceMethod: 'GET',
      VoiceFallbackUrl: 'https://app.test/fallback',
      StatusCallback: 'https://app.test/status',
    })
    const path = `${NUMBERS}/${String(sid)}.json`
    const changed = await t.api('POST', path, { VoiceUrl: 'https://app.test/other' })
    expect(changed).toMatchObject({
      status: 200,
      body: {
        voice_url: 'https://app.test/other',
        voice_method: 'GET',
        voice_fallback_url: 'https://app.test/fallback',
        status_callback: 'https://app.test/status',
      },
    })
    const cleared = { VoiceFallbackUrl: '', VoiceMethod: '', StatusCallback: '' }
    expect((await t.api('POST', path, cleared)).body).toMatchObject({
      voice_url: 'https://app.test/other',
      voice_method: 'POST',
      voice_fallback_url: null,
      status_callback: null,
    })
    expect((await t.api('POST', path, {})).body['voice_url']).toBe('https://app.test/other')
  })

  it('refuses a change that is wrong as a whole', async () => {
    await using t = await setUp()
    const { sid } = await t.claim({ PhoneNumber: SOME, VoiceUrl: 'https://app.test/voice' })
    const path = `${NUMBERS}/${String(sid)}.json`
    const form = { VoiceUrl: '', VoiceFallbackUrl: 'https://app.test/fallback' }
    expect(await t.api('POST', path, form)).toMatchObject({ status: 400, body: { code: 21405 } })
    const moved = { AccountSid: `AC${'1'.repeat(32)}` }
    expect(await t.api('POST', path, moved)).toMatchObject({ status: 400, body: { code: 20422 } })
    expect((await t.api('GET', path)).body['voice_url']).toBe('https://app.test/voice')
  })

  it('is given back with 204, again and again, and can be claimed by another then', async () => {
    await using t = await setUp()
    const { sid } = await t.claim({ PhoneNumber: SOME, VoiceUrl: 'https://app.test/voice' })
    const path = `${NUMBERS}/${String(sid)}.json`
    for (let round = 0; round < 3; round++) expect((await t.api('DELETE', path)).status).toBe(204)
    expect((await t.api('GET', path)).status).toBe(404)
    expect((await t.api('POST', path, {})).status).toBe(404)
    const theirs = t.as(await t.accounts.create({ friendlyName: 'other' }))
    const next = await t.claim({ PhoneNumber: SOME }, theirs)
    expect(next['sid']).not.toBe(sid)
    expect(next['voice_url']).toBe(null)
    expect((await t.api('DELETE', path)).status).toBe(204)
    expect((await theirs('GET', `${NUMBERS}/${String(next['sid'])}.json`)).status).toBe(200)
  })

  it('costs its month at once and monthly, once, and nothing where the balance does not cover it', async () => {
    await using t = await setUp()
    const { sid: accountSid } = t.account
    const now = t.clock.now()
    await t.db.write((tx) => changeAccountRates(tx, accountSid, { did: 1_250_000 }, now))
    const refused = await t.api('POST', `${NUMBERS}.json`, { PhoneNumber: SOME })
    expect(refused).toMatchObject({ status: 402, body: { code: 20402 } })
    expect((await t.api('GET', `${NUMBERS}.json`)).body['incoming_phone_numbers']).toEqual([])
    const opening = { reference: '', description: '', at: now }
    await t.db.write((tx) =>
      t.ledger.post(tx, {
        ...opening,
        key: 'opening',
        accountSid,
        cause: 'credit',
        amount: 20_000,
      }),
    )
    const { sid } = await t.claim({ PhoneNumber: SOME })
    // It is bound anew, not bought again.
    await t.claim({ PhoneNumber: SOME, VoiceUrl: 'https://app.test/voice' })
    expect(await balanceOf(t.db.read, accountSid)).toMatchObject({ amount: 7_500 })
    const charges = () => recurringChargesOf(t.db.read, accountSid)
    expect(await charges()).toMatchObject([{ amount: 12_500, reference: sid }])
    await t.api('DELETE', `${NUMBERS}/${String(sid)}.json`)
    expect(await charges()).toEqual([])
  })

  it('is not given back while it is porting', async () => {
    await using t = await setUp()
    const sid = String((await t.claim({ PhoneNumber: SOME }))['sid'])
    const path = `${NUMBERS}/${sid}.json`
    const port = (porting: 'out' | null) =>
      t.db.write((tx) => changeNumberSettings(tx, sid, { porting }, 1))
    await port('out')
    expect(await t.api('DELETE', path)).toMatchObject({ status: 409, body: { code: 21422 } })
    expect((await t.api('GET', path)).status).toBe(200)
    await port(null)
    expect((await t.api('DELETE', path)).status).toBe(204)
  })

  it('looks to another account like one that does not exist', async () => {
    await using t = await setUp()
    const held = (await t.claim({ PhoneNumber: SOME }))['sid'] as string
    const gone = (await t.claim({ PhoneNumber: '+15551113333' }))['sid'] as string
    await t.api('DELETE', `${NUMBERS}/${gone}.json`)
    const theirs = t.as(await t.accounts.create({ friendlyName: 'other' }))
    for (const method of ['GET', 'POST', 'DELETE']) {
      const seen = async (sid: string) => {
        const form = method === 'POST' ? { VoiceUrl: 'http://a.test/' } : undefined
        const { status, text } = await theirs(method, `${NUMBERS}/${sid}.json`, form)
        return `${status} ${text.replaceAll(sid, 'SID')}`
      }
      const absent = await seen(ABSENT)
      expect(absent).toMatch(/^404 .*20404/)
      expect(await seen(held)).toBe(absent)
      expect(await seen(gone)).toBe(absent)
      expect(await seen('nonsense')).toBe(absent)
    }
    expect((await t.api('GET', `${NUMBERS}/${held}.json`)).body['voice_url']).toBe(null)
  })
})

describe('the list of numbers', () => {
  it('is of the account alone, the newest first, a page at a time', async () => {
    await using t = await setUp()
    const wanted = Array.from({ length: 7 }, (_, i) => `+1555111000${i}`)
    for (const PhoneNumber of wanted) await t.claim({ PhoneNumber })
    const theirs = t.as(await t.accounts.create({ friendlyName: 'other' }))
    await t.claim({ PhoneNumber: '+15551119999' }, theirs)
    const seen: string[] = []
    let path: string | null = `${NUMBERS}.json?PageSize=3`
    while (path !== null) {
      const { body } = await t.api('GET', path)
      const page = body['incoming_phone_numbers'] as { phone_number: string }[]
      seen.push(...page.map((number) => number.phone_number))
      expect(body).toMatchObject({ total: 7, page_size: 3 })
      const next = body['next_page_uri'] as string | null
      path = next === null ? null : next.slice(next.indexOf(NUMBERS))
    }
    expect([...seen].sort()).toEqual(wanted)
  })

  it('finds one number, and ignores the filters without effect', async () => {
    await using t = await setUp()
    await t.claim({ PhoneNumber: SOME })
    await t.claim({ PhoneNumber: '+15551113333' })
    const total = async (query: string) =>
      (await t.api('GET', `${NUMBERS}.json?${query}`)).body['total']
    expect(await total(`PhoneNumber=${encodeURIComponent(SOME)}`)).toBe(1)
    expect(await total(`PhoneNumber=${SOME}`)).toBe(1)
    expect(await total('PhoneNumber=%2B15550000000')).toBe(0)
    expect(await total('PhoneNumber=')).toBe(2)
    expect(await total('FriendlyName=x&Beta=true&Origin=hosted')).toBe(2)
    const wrong = await t.api('GET', `${NUMBERS}.json?PhoneNumber=555`)
    expect(wrong).toMatchObject({ status: 400, body: { code: 20422 } })
  })

  it('knows toll-free numbers from all others, and no mobile ones', async () => {
    await using t = await setUp()
    const tollFree = ['800', '833', '844', '855', '866', '877', '888'].map(
      (area) => `+1${area}5551212`,
    )
    const local = ['+18225551212', '+442079460018', '+448005551212', '+15551112222']
    for (const PhoneNumber of [...tollFree, ...local]) await t.claim({ PhoneNumber })
    const listed = async (kind: string) => {
      const { body } = await t.api('GET', `${NUMBERS}/${kind}.json`)
      return (body['incoming_phone_numbers'] as { phone_number: string; type: string }[]).map(
        ({ phone_number: number, type }) => `${number} ${type}`,
      )
    }
    expect((await listed('TollFree')).sort()).toEqual(tollFree.map((each) => `${each} toll-free`))
    expect((await listed('Local')).sort()).toEqual(local.map((each) => `${each} local`).sort())
    expect(await listed('Mobile')).toEqual([])
    const filtered = await t.api('GET', `${NUMBERS}/Local.json?PhoneNumber=%2B18005551212`)
    expect(filtered.body['total']).toBe(0)
  })
})
