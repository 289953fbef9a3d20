import { describe, expect, it } from 'vitest'
import { createLogger } from '../../../../src/platform/log.js'
import { type Form, setUpApi } from '../../../support/voice/api-fixture.js'

const PATH = '/Applications'

async function setUp() {
  const t = await setUpApi()
  const create = async (form: Form, api = t.api) => {
    const answer = await api('POST', `${PATH}.json`, form)
    expect(answer.status, answer.text).toBe(201)
    return answer.body
  }
  return { ...t, create }
}

describe('the Applications resource', () => {
  it('answers every field, and null for what is not set', async () => {
    await using t = await setUp()
    const body = await t.create({})
    const sid = body['sid'] as string
    expect(body).toEqual({
      sid: expect.stringMatching(/^AP[0-9a-f]{32}$/) as unknown,
      account_sid: t.account.sid,
      friendly_name: '',
      api_version: '2010-04-01',
      voice_url: null,
      voice_method: 'POST',
      voice_fallback_url: null,
      voice_fallback_method: 'POST',
      voice_caller_id_lookup: false,
      status_callback: null,
      status_callback_method: 'POST',
      status_callback_event: null,
      message_status_callback: null,
      sms_status_callback: null,
      sms_url: null,
      sms_method: 'POST',
      sms_fallback_url: null,
      sms_fallback_method: 'POST',
      public_application_connect_enabled: false,
      date_created: expect.stringMatching(/ \+0000$/) as unknown,
      date_updated: expect.stringMatching(/ \+0000$/) as unknown,
      uri: `/2010-04-01/Accounts/${t.account.sid}/Applications/${sid}.json`,
    })
    expect((await t.api('GET', `${PATH}/${sid}.json`)).body).toEqual(body)
  })

  it('takes PublicApplicationConnectEnabled, and warns that it has no effect', async () => {
    const log = createLogger('silent')
    const warnings: unknown[] = []
    log.warn = (...entry: unknown[]) => warnings.push(entry)
    await using t = await setUpApi(log)
    const form = { PublicApplicationConnectEnabled: 'true' }
    const made = await t.api('POST', `${PATH}.json`, form)
    expect(made).toMatchObject({
      status: 201,
      body: { public_application_connect_enabled: false },
    })
    const sid = String(made.body['sid'])
    expect((await t.api('POST', `${PATH}/${sid}.json`, form)).status).toBe(200)
    const told = [{ accountSid: t.account.sid, applicationSid: sid }, expect.any(String)]
    expect(warnings).toEqual([told, told])
    await t.api('POST', `${PATH}.json`, { PublicApplicationConnectEnabled: 'false' })
    expect(warnings).toHaveLength(2)
  })

  it('stores every setting, changes those that are present, clears those that are empty', async () => {
    await using t = await setUp()
    const made = await t.create({
      FriendlyName: 'Phone menu',
      VoiceUrl: 'https://app.test/voice',
      VoiceMethod: 'GET',
      VoiceFallbackUrl: 'https://app.test/fallback',
      VoiceFallbackMethod: 'GET',
      VoiceCallerIdLookup: 'TRUE',
      StatusCallback: 'https://app.test/status',
      StatusCallbackMethod: 'GET',
      StatusCallbackEvent: 'initiated, completed',
      MessageStatusCallback: 'https://app.test/receipts',
      SmsUrl: 'https://app.test/sms',
      SmsMethod: 'GET',
      SmsFallbackUrl: 'https://app.test/sms-fallback',
      SmsFallbackMethod: 'GET',
    })
    expect(made).toMatchObject({
      friendly_name: 'Phone menu',
      voice_url: 'https://app.test/voice',
      voice_method: 'GET',
      voice_fallback_url: 'https://app.test/fallback',
      voice_fallback_method: 'GET',
      voice_caller_id_lookup: true,
      status_callback: 'https://app.test/status',
      status_callback_method: 'GET',
      status_callback_event: 'initiated,completed',
      message_status_callback: 'https://app.test/receipts',
      sms_status_callback: 'https://app.test/receipts',
      sms_url: 'https://app.test/sms',
      sms_method: 'GET',
      sms_fallback_url: 'https://app.test/sms-fallback',
      sms_fallback_method: 'GET',
    })
    const path = `${PATH}/${String(made['sid'])}.json`
    const change = { FriendlyName: 'Menu', VoiceFallbackUrl: '', StatusCallbackEvent: '' }
    const changed = await t.api('POST', path, change)
    expect(changed.status).toBe(200)
    expect(changed.body).toEqual({
      ...made,
      friendly_name: 'Menu',
      voice_fallback_url: null,
      status_callback_event: null,
      date_updated: changed.body['date_updated'],
    })
  })

  it('takes the older name of the URL of receipts, unless the newer one is there', async () => {
    await using t = await setUp()
    const older = await t.create({ SmsStatusCallback: 'https://app.test/older' })
    expect(older['message_status_callback']).toBe('https://app.test/older')
    const path = `${PATH}/${String(older['sid'])}.json`
    const both = {
      SmsStatusCallback: 'https://app.test/x',
      MessageStatusCallback: 'https://app.test/newer',
    }
    expect((await t.api('POST', path, both)).body).toMatchObject({
      message_status_callback: 'https://app.test/newer',
      sms_status_callback: 'https://app.test/newer',
    })
  })

  it('lists the newest first, a page at a time, and finds an exact name', async () => {
    await using t = await setUp()
    const names = ['a', 'b', 'a', 'a b', 'A']
    for (const FriendlyName of names) await t.create({ FriendlyName })
    const seen: string[] = []
    let path: string | null = `${PATH}.json?PageSize=2`
    while (path !== null) {
      const { body } = await t.api('GET', path)
      seen.push(
        ...(body['applications'] as { friendly_name: string }[]).map((each) => each.friendly_name),
      )
      expect(body['total']).toBe(5)
      const next = body['next_page_uri'] as string | null
      path = next === null ? null : next.slice(next.indexOf(PATH))
    }
    expect([...seen].sort()).toEqual([...names].sort())
    const total = async (query: string) =>
      (await t.api('GET', `${PATH}.json?${query}`)).body['total']
    expect(await total('FriendlyName=a')).toBe(2)
    expect(await total('FriendlyName=')).toBe(5)
    expect(await total('FriendlyName=c')).toBe(0)
  })

  it('deletes one, and takes it from the numbers that name it', async () => {
    await using t = await setUp()
    const { sid } = await t.create({ VoiceUrl: 'https://app.test/voice' })
    const claim = {
      PhoneNumber: '+15551112222',
      VoiceApplicationSid: String(sid),
      SmsApplicationSid: String(sid),
    }
    const number = (await t.api('POST', '/IncomingPhoneNumbers.json', claim)).body
    const path = `${PATH}/${String(sid)}.json`
    expect((await t.api('DELETE', path)).status).toBe(204)
    expect((await t.api('GET', path)).status).toBe(404)
    expect((await t.api('DELETE', path)).status).toBe(404)
    const after = await t.api('GET', `/IncomingPhoneNumbers/${String(number['sid'])}.json`)
    expect(after.body).toMatchObject({ voice_application_sid: '', sms_application_sid: '' })
  })

  it('shows nothing of an application to another account', async () => {
    await using t = await setUp()
    const sid = (await t.create({ FriendlyName: 'ours' }))['sid'] as string
    const theirs = t.as(await t.accounts.create({ friendlyName: 'other' }))
    for (const method of ['GET', 'POST', 'DELETE']) {
      const seen = async (which: string) => {
        const form = method === 'POST' ? { FriendlyName: 'theirs' } : undefined
        const { status, text } = await theirs(method, `${PATH}/${which}.json`, form)
        return `${status} ${text.replaceAll(which, 'SID')}`
      }
      const absent = await seen(`AP${'0'.repeat(32)}`)
      expect(absent).toMatch(/^404 .*20404/)
      expect(await seen(sid)).toBe(absent)
    }
    expect((await theirs('GET', `${PATH}.json`)).body['total']).toBe(0)
    expect((await t.api('GET', `${PATH}/${sid}.json`)).body['friendly_name']).toBe('ours')
  })

  it.each<[Form, number]>([
    [{ FriendlyName: 'x'.repeat(65) }, 20002],
    [{ FriendlyName: 'two\nlines' }, 20002],
    [{ VoiceUrl: 'nowhere' }, 21402],
    [{ VoiceUrl: 'http://a.test:0/' }, 21402],
    [{ VoiceUrl: `http://a.test/${'x'.repeat(4_000)}` }, 21402],
    [{ VoiceMethod: 'DELETE' }, 21403],
    [{ VoiceFallbackUrl: 'http://a.test/' }, 21405],
    [{ SmsFallbackUrl: 'http://a.test/' }, 21406],
    [{ StatusCallback: 'mailto:a@b.test' }, 21402],
    [{ StatusCallbackMethod: 'x' }, 21403],
    [{ StatusCallbackEvent: 'answered later' }, 20422],
    [{ MessageStatusCallback: 'x' }, 21402],
    [{ SmsStatusCallback: 'x' }, 21402],
    [{ SmsMethod: 'x' }, 21403],
    [{ VoiceCallerIdLookup: 'perhaps' }, 20422],
  ])('refuses %o with %i, and leaves nothing', async (form, code) => {
    await using t = await setUp()
    expect(await t.api('POST', `${PATH}.json`, form)).toMatchObject({ status: 400, body: { code } })
    expect((await t.api('GET', `${PATH}.json`)).body['total']).toBe(0)
    const { sid } = await t.create({ FriendlyName: 'kept' })
    const path = `${PATH}/${String(sid)}.json`
    expect(await t.api('POST', path, form)).toMatchObject({ status: 400, body: { code } })
    expect((await t.api('GET', path)).body['friendly_name']).toBe('kept')
  })
})

describe('a call with an ApplicationSid', () => {
  const PARTIES = { To: '+15005550001', From: '+15005550006' }

  it('gets the URLs and the status callback of the application, and no others', async () => {
    await using t = await setUp()
    const { sid } = await t.create({
      VoiceUrl: 'https://app.test/voice',
      VoiceMethod: 'GET',
      VoiceFallbackUrl: 'https://app.test/fallback',
      StatusCallback: 'https://app.test/status',
      StatusCallbackEvent: 'answered,completed',
    })
    const made = await t.api('POST', '/Calls.json', {
      ...PARTIES,
      ApplicationSid: String(sid),
      Url: 'https://other.test/',
      Method: 'POST',
      FallbackUrl: 'https://other.test/',
      StatusCallback: 'https://other.test/',
      StatusCallbackMethod: 'GET',
      StatusCallbackEvent: 'initiated',
    })
    expect(made.status, made.text).toBe(201)
    const { plan } = await t.calls.fetch(t.account.sid, String(made.body['sid']))
    expect(plan).toMatchObject({
      applicationSid: sid,
      document: {
        type: 'url',
        url: 'https://app.test/voice',
        method: 'GET',
        fallbackUrl: 'https://app.test/fallback',
        fallbackMethod: 'POST',
      },
      statusCallback: {
        url: 'https://app.test/status',
        method: 'POST',
        events: ['answered', 'completed'],
      },
    })
  })

  it('runs its own markup when it has some', async () => {
    await using t = await setUp()
    const { sid } = await t.create({ StatusCallback: 'https://app.test/status' })
    const form = { ...PARTIES, ApplicationSid: String(sid), Twiml: '<Response/>' }
    const made = await t.api('POST', '/Calls.json', form)
    const { plan } = await t.calls.fetch(t.account.sid, String(made.body['sid']))
    expect(plan).toMatchObject({
      document: { type: 'inline', text: '<Response/>' },
      statusCallback: { url: 'https://app.test/status', events: ['completed'] },
    })
  })

  it('is refused with 21218 for an application that is not there, and 21205 without a VoiceUrl', async () => {
    await using t = await setUp()
    const theirs = t.as(await t.accounts.create({ friendlyName: 'other' }))
    const other = (await t.create({ VoiceUrl: 'https://app.test/' }, theirs))['sid'] as string
    const silent = (await t.create({}))['sid'] as string
    const refused = async (ApplicationSid: string) => {
      const { status, body } = await t.api('POST', '/Calls.json', { ...PARTIES, ApplicationSid })
      return [status, body['code']]
    }
    expect(await refused(other)).toEqual([400, 21218])
    expect(await refused(`AP${'0'.repeat(32)}`)).toEqual([400, 21218])
    expect(await refused('nonsense')).toEqual([400, 21218])
    expect(await refused(silent)).toEqual([400, 21205])
    expect((await t.api('GET', '/Calls.json')).body['total']).toBe(0)
  })
})
