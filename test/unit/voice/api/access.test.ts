import { describe, expect, it, vi } from 'vitest'
import { AccountGate } from '../../../../src/accounts/account-gate.js'
import type { Clock } from '../../../../src/platform/clock.js'
import { createPublicApp } from '../../../../src/platform/http/public-app.js'
import { createLogger } from '../../../../src/platform/log.js'
import { createVoiceApi } from '../../../../src/voice/api/voice-api.js'
import { ERROR_CATALOGUE } from '../../../../src/voice/errors/error-catalogue.js'
import { setUpCalls } from '../../../support/voice/calls-fixture.js'

const basic = (sid: string, secret: string) =>
  `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`

/** The API behind a socket whose peer the test chooses. */
async function setUp(
  limits: {
    readonly requestsPerSecond?: number
    readonly trustedProxies?: readonly string[]
    readonly clock?: Clock
  } = {},
) {
  const bench = await setUpCalls()
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log: createLogger('silent'),
    mount: [
      createVoiceApi({
        ...bench,
        accountGate: new AccountGate(limits.trustedProxies ?? [], limits.clock ?? bench.clock),
        requestsPerSecond: limits.requestsPerSecond ?? bench.requestsPerSecond,
        log: createLogger('silent'),
      }),
    ],
  })
  const { sid, secret } = bench.account
  const request = async (
    path: string,
    headers: Readonly<Record<string, string>> = {},
    init: RequestInit & { peer?: string } = {},
  ) => {
    const { peer = '192.0.2.1', ...rest } = init
    const answer = await app.request(
      path,
      { ...rest, headers: { authorization: basic(sid, secret), ...headers } },
      { incoming: { socket: { remoteAddress: peer } } },
    )
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const root = `/2010-04-01/Accounts/${sid}`
  return { ...bench, request, root, sid, secret }
}

describe('who may ask', () => {
  it.each([
    ['one space', (value: string) => value],
    ['several spaces', (value: string) => value.replace(' ', '   ')],
    ['spaces at the end', (value: string) => `${value}  `],
    ['the scheme in lower case', (value: string) => value.replace('Basic', 'basic')],
  ])('takes an Authorization with %s (RFC 9110 §11.4)', async (_title, write) => {
    await using t = await setUp()
    const authorization = write(basic(t.sid, t.secret))
    expect((await t.request(`${t.root}/Calls.json`, { authorization })).status).toBe(200)
  })

  it('[B18] tells of wrong credentials, and of what is absent or of others, always the same', async () => {
    await using t = await setUp()
    const wrong = [
      '',
      'Basic',
      'Basic %%%',
      'Bearer x',
      basic(t.sid, ''),
      basic('', t.secret),
      basic(t.sid, t.secret.toUpperCase().replaceAll(/[0-9]/g, 'a')),
      basic(`AC${'1'.repeat(32)}`, t.secret),
      `Basic ${'A'.repeat(9_000)}`,
    ]
    const answers = await Promise.all(
      wrong.map((authorization) => t.request(`${t.root}/Calls.json`, { authorization })),
    )
    const shapes = new Set(answers.map(({ status, text }) => `${status} ${text}`))
    expect([...shapes]).toHaveLength(1)
    expect(JSON.parse(answers[0]?.text ?? '')).toEqual({
      code: 20003,
      detail: 'Your AccountSid or AuthToken was incorrect.',
      message: 'Authenticate',
      more_info: 'http://localhost/docs/errors#20003',
      status: 401,
    })
    expect(answers[0]?.headers.get('www-authenticate')).toMatch(/^Basic realm="/)
    const other = await t.accounts.create({ friendlyName: 'other' })
    const theirs = await t.calls.create(other, {
      to: '+15005550001',
      from: '+15551112222',
      plan: { document: { type: 'inline', text: '' }, timeoutSeconds: 1 },
    })
    const of = async (sid: string) => {
      const { status, text } = await t.request(`${t.root}/Calls/${sid}.json`)
      return `${status} ${text.replaceAll(sid, 'SID')}`
    }
    const absent = await of(`CA${'0'.repeat(32)}`)
    expect(absent).toMatch(/^404 /)
    expect(await of(theirs.sid)).toBe(absent)
    expect(await of('CAnonsense')).toBe(absent)
  })

  it('[B18] slows down whoever guesses, and lets those who know pass', async () => {
    // However long the guesses take, none is forgotten meanwhile.
    await using t = await setUp({ clock: { now: () => 0, monotonic: () => 0 } })
    const guess = () => t.request(`${t.root}/Calls`, { authorization: basic(t.sid, 'guess') })
    const statuses = new Map<number, number>()
    for (let round = 0; round < 400; round++) {
      const { status, headers } = await guess()
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status === 429) expect(headers.get('retry-after')).toMatch(/^\d+$/)
    }
    expect([...statuses.keys()].sort()).toEqual([401, 429])
    expect((await t.request(`${t.root}/Calls`)).status).toBe(200)
    expect(
      (await t.request(`${t.root}/Calls`, { authorization: 'x' }, { peer: '192.0.2.9' })).status,
    ).toBe(401)
  })

  it('answers 429 to an account that asks too often, and not to another', async () => {
    await using t = await setUp({ requestsPerSecond: 0.001 })
    const first = await t.request(`${t.root}/Calls`)
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '1'])
    expect(JSON.parse(first.text)).toMatchObject({ code: 20429, status: 429 })
  })

  it('answers 429 by the rate that the operator has given an account, and only to that one', async () => {
    await using t = await setUp()
    const other = await t.accounts.create({ friendlyName: 'other' })
    await t.accounts.update(t.sid, { settings: { requestsPerSecond: 0.001 } })
    expect((await t.request(`${t.root}/Calls`)).status).toBe(429)
    const theirs = `/2010-04-01/Accounts/${other.sid}/Calls`
    const authorization = basic(other.sid, other.secret)
    expect((await t.request(theirs, { authorization })).status).toBe(200)
  })

  it('answers 403 and 20006 to an address outside AllowCidr', async () => {
    await using t = await setUp()
    await t.accounts.update(t.sid, { settings: { allowCidr: ['198.51.100.0/24'] } })
    const { status, text } = await t.request(`${t.root}/Calls`, {}, { peer: '203.0.113.1' })
    expect({ status, code: (JSON.parse(text) as { code: number }).code }).toEqual({
      status: 403,
      code: 20006,
    })
  })

  it('answers 403 and 20005 while the account is not active', async () => {
    await using t = await setUp()
    await t.db.write((tx) => tx.updateTable('accounts').set({ status: 'suspended' }).execute())
    const { status, text } = await t.request(`${t.root}/Calls`)
    expect({ status, code: (JSON.parse(text) as { code: number }).code }).toEqual({
      status: 403,
      code: 20005,
    })
  })

  it('answers 500 and 20500 when it fails, and says nothing of why', async () => {
    await using t = await setUp()
    vi.spyOn(t.calls, 'show').mockRejectedValue(new Error('what only we may know'))
    const { status, text } = await t.request(`${t.root}/Calls/CA${'0'.repeat(32)}`)
    expect({ status, code: (JSON.parse(text) as { code: number }).code }).toEqual({
      status: 500,
      code: 20500,
    })
    expect(text).not.toContain('only we')
  })

  it('[B20] answers 403 outside AllowCidr, and believes X-Forwarded-For of known proxies only', async () => {
    await using t = await setUp({ trustedProxies: ['10.0.0.0/8'] })
    await t.accounts.update(t.sid, {
      settings: {
        allowCidr: ['198.51.100.0/24', '2001:db8::7', '::ffff:192.0.2.0/120'],
      },
    })
    const statusFor = async (peer: string, forwarded?: string) => {
      const headers: Record<string, string> =
        forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
      return (await t.request(`${t.root}/Calls`, headers, { peer })).status
    }
    expect(await statusFor('198.51.100.7')).toBe(200)
    expect(await statusFor('::ffff:198.51.100.7')).toBe(200)
    expect(await statusFor('192.0.2.7')).toBe(200)
    expect(await statusFor('192.0.3.7')).toBe(403)
    expect(await statusFor('2001:db8::7')).toBe(200)
    expect(await statusFor('203.0.113.1')).toBe(403)
    expect(await statusFor('203.0.113.1', '198.51.100.7')).toBe(403)
    expect(await statusFor('10.1.1.1', '198.51.100.7')).toBe(200)
    expect(await statusFor('10.1.1.1', '198.51.100.7, 10.2.2.2')).toBe(200)
    expect(await statusFor('10.1.1.1', '198.51.100.7, 203.0.113.1')).toBe(403)
    expect(await statusFor('10.1.1.1', 'nonsense')).toBe(403)
    expect(await statusFor('10.1.1.1')).toBe(403)
  })

  it('answers 405 to a method that a resource does not have', async () => {
    await using t = await setUp()
    const { status, text } = await t.request(`${t.root}/Calls.json`, {}, { method: 'PUT' })
    expect({ status, body: JSON.parse(text) as unknown }).toMatchObject({
      status: 405,
      body: { code: 20004, status: 405 },
    })
    expect((await t.request(`${t.root}/Nonsense`, {}, { method: 'PUT' })).status).toBe(404)
  })
})

describe('the format of an answer', () => {
  it('is XML for .xml, or when XML is wanted first and no suffix says otherwise', async () => {
    await using t = await setUp()
    const xml = 'application/xml; charset=utf-8'
    const typeOf = async (path: string, accept?: string) =>
      (await t.request(path, accept === undefined ? {} : { accept })).headers.get('content-type')
    expect(await typeOf(`${t.root}/Calls.xml`)).toBe(xml)
    expect(await typeOf(`${t.root}/Calls.xml?PageSize=1`)).toBe(xml)
    expect(await typeOf(`${t.root}/Calls`, 'application/xml, application/json')).toBe(xml)
    expect(await typeOf(`${t.root}/Calls.json`, 'application/xml')).toMatch(/json/)
    expect(await typeOf(`${t.root}/Calls`, 'application/json, application/xml')).toMatch(/json/)
    expect(await typeOf(`${t.root}/Calls?To=a.xml`)).toMatch(/json/)
  })

  it('has the elements of the convention, and escapes what customers wrote', async () => {
    await using t = await setUp()
    const call = await t.calls.create(t.account, {
      to: 'sip:a&b@pbx.test',
      from: '+15551112222',
      plan: { document: { type: 'inline', text: '' }, timeoutSeconds: 1 },
    })
    const { text } = await t.request(`${t.root}/Calls/${call.sid}.xml`)
    expect(text).toMatch(/^<\?xml version='1.0' encoding='UTF-8'\?>\n<TwilioResponse><Call><Sid>CA/)
    expect(text).toContain('<To>sip:a&amp;b@pbx.test</To>')
    expect(text).toContain('<ParentCallSid/>')
    expect(text).toContain(
      `<SubresourceUris><Events>${t.root}/Calls/${call.sid}/Events.json</Events>`,
    )
    const list = (await t.request(`${t.root}/Calls.xml?To=sip%3Aa%26b%40pbx.test`)).text
    expect(list).toMatch(
      /<Calls page="0" pagesize="50" numpages="1" total="1" uri="[^"]*To=sip%3Aa%26b%40pbx.test&amp;PageSize=50/,
    )
    expect(list).toMatch(/<Call><Sid>CA.*<\/Call><\/Calls><\/TwilioResponse>$/)
    const error = await t.request(`${t.root}/Calls/CA0.xml`)
    expect(error.status).toBe(404)
    expect(error.text).toMatch(
      /<TwilioResponse><RestException><Code>20404<\/Code><Message>.*<\/Message><MoreInfo>.*<\/MoreInfo><Status>404<\/Status><\/RestException><\/TwilioResponse>$/,
    )
    const refused = await t.request(`${t.root}/Calls.xml`, { authorization: 'x' })
    expect(refused.text).toContain('<RestException><Code>20003</Code>')
  })
})

describe('the account', () => {
  it('shows itself, and nobody else', async () => {
    await using t = await setUp()
    const { status, text } = await t.request(`${t.root}.json`)
    const body = JSON.parse(text) as Record<string, unknown>
    expect(status).toBe(200)
    expect(body).toMatchObject({
      sid: t.sid,
      friendly_name: 'test',
      status: 'active',
      type: 'Full',
      owner_account_sid: t.sid,
      uri: `${t.root}.json`,
    })
    const uris = body['subresource_uris'] as Record<string, string>
    expect(Object.keys(uris)).toHaveLength(20)
    expect(uris['calls']).toBe(`${t.root}/Calls.json`)
    expect(uris['short_codes']).toBe(`${t.root}/SMS/ShortCodes.json`)
    const other = await t.accounts.create({ friendlyName: 'other' })
    expect((await t.request(`/2010-04-01/Accounts/${other.sid}.json`)).status).toBe(404)
  })

  it.each([
    [
      'a form',
      (fields: object) => new URLSearchParams(Object.entries(fields)).toString(),
      'application/x-www-form-urlencoded',
    ],
    ['JSON', (fields: object) => JSON.stringify(fields), 'application/json'],
    // RFC 9110 §8.3.1: a media type is written in any case.
    ['JSON', (fields: object) => JSON.stringify(fields), 'Application/JSON; Charset=UTF-8'],
  ])('changes by %s what is there, and shows no secret', async (_title, encode, type) => {
    await using t = await setUp()
    const post = async (fields: object) => {
      const answer = await t.request(
        `${t.root}.json`,
        { 'content-type': type },
        {
          method: 'POST',
          body: encode(fields),
        },
      )
      expect(answer.status, answer.text).toBe(200)
      return { text: answer.text, account: await t.accounts.find(t.sid) }
    }
    const first = await post({
      FriendlyName: 'Ours',
      VoiceUrl: 'https://app.test/voice',
      VoiceMethod: 'GET',
      VoiceFallbackUrl: 'https://app.test/fallback',
      VoiceFallbackMethod: 'POST',
      SttFsVendor: 'vosk',
      SttHttpUrl: 'https://stt.test/',
      SttHttpToken: 'stt-secret',
      TtsHttpUrl: 'https://tts.test/',
      TtsHttpToken: 'tts-secret',
      TtsEngineName: 'engine',
      TtsDefaultVoice: 'alice',
      TtsDefaultLanguage: 'en-GB',
      StorageBucket: 'bucket',
      StorageRegion: 'eu-west-1',
      StoragePrefix: 'calls/',
      StorageAccessKeyId: 'key-id',
      StorageSecretAccessKey: 'storage-secret',
      StorageKmsKeyId: 'kms',
    })
    expect(first.account?.friendlyName).toBe('Ours')
    expect(first.account?.settings).toMatchObject({
      voice: {
        url: 'https://app.test/voice',
        method: 'GET',
        fallbackUrl: 'https://app.test/fallback',
        fallbackMethod: 'POST',
      },
      stt: { vendor: 'vosk', url: 'https://stt.test/', token: 'stt-secret' },
      tts: {
        url: 'https://tts.test/',
        token: 'tts-secret',
        engineName: 'engine',
        defaultVoice: 'alice',
        defaultLanguage: 'en-GB',
      },
      storage: {
        bucket: 'bucket',
        region: 'eu-west-1',
        prefix: 'calls/',
        accessKeyId: 'key-id',
        secretAccessKey: 'storage-secret',
        kmsKeyId: 'kms',
      },
    })
    const second = await post({ TtsHttpToken: '', StoragePrefix: 'other/' })
    expect(second.account?.settings.tts).toMatchObject({ url: 'https://tts.test/' })
    expect(second.account?.settings.tts.token).toBeUndefined()
    expect(second.account?.settings.storage).toMatchObject({ bucket: 'bucket', prefix: 'other/' })
    expect(first.text + second.text).not.toMatch(/(stt|tts|storage)-secret/)
  })

  it('replaces its allow-list, and clears it with an empty one', async () => {
    await using t = await setUp()
    const post = async (body: string, type = 'application/x-www-form-urlencoded') => {
      const init = { method: 'POST', body }
      expect((await t.request(t.root, { 'content-type': type }, init)).status).toBe(200)
      return (await t.accounts.find(t.sid))?.settings.allowCidr
    }
    const two = ['192.0.2.0/24', '2001:db8::/32']
    expect(await post('AllowCidr=192.0.2.0%2F24&AllowCidr=2001%3Adb8%3A%3A%2F32')).toEqual(two)
    expect(await post('FriendlyName=x')).toEqual(two)
    expect(await post('AllowCidr=')).toEqual([])
    expect(await post('{"AllowCidr":["192.0.2.1"]}', 'application/json')).toEqual(['192.0.2.1'])
    expect(await post('{"AllowCidr":[]}', 'application/json')).toEqual([])
  })

  it.each([
    ['FriendlyName', 'x'.repeat(65), 20002],
    ['VoiceUrl', 'ftp://a.test', 21402],
    ['VoiceMethod', 'PUT', 21403],
    ['VoiceFallbackUrl', 'https://a.test', 21405],
    ['TtsHttpUrl', 'nowhere', 21402],
    ['AllowCidr', '10.0.0.0/33', 20422],
    ['AllowCidr', '10/8', 20422],
    ['AllowCidr', '1', 20422],
    ['AllowCidr', '010.0.0.1', 20422],
    ['AllowCidr', '0xa.0.0.0/8', 20422],
    ['AllowCidr', 'fe80::1%eth0', 20422],
    ['AllowCidr', '::1/', 20422],
    ['TtsHttpToken', 'a\nb', 20422],
  ])('refuses %s=%s', async (name, value, code) => {
    await using t = await setUp()
    const body = new URLSearchParams([[name, value]])
    const { status, text } = await t.request(t.root, {}, { method: 'POST', body })
    expect({ status, body: JSON.parse(text) as unknown }).toMatchObject({
      status: 400,
      body: { code },
    })
    expect(ERROR_CATALOGUE).toHaveProperty(String(code))
  })
})
