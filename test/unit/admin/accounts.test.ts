import { describe, expect, it } from 'vitest'
import { createAdminApi } from '../../../src/admin/admin-api.js'
import { createLogger } from '../../../src/platform/log.js'
import { setUpCalls } from '../../support/voice/calls-fixture.js'

const TOKEN = 'operator-token'

async function setUp() {
  const bench = await setUpCalls()
  const admin = createAdminApi({
    ...bench,
    version: '0.0.0',
    parts: [],
    token: TOKEN,
    metrics: () => Promise.resolve(''),
    log: createLogger('silent'),
  })
  const request = async (
    method: string,
    path: string,
    body?: unknown,
    authorization = `Bearer ${TOKEN}`,
  ) => {
    const answer = await admin.request(path, {
      method,
      headers: { authorization },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, text, body: JSON.parse(text) as Record<string, unknown> }
  }
  return { ...bench, path: `/accounts/${bench.account.sid}`, request }
}

describe('the token of the private listener', () => {
  it.each([
    [`Bearer   ${TOKEN}`, 200],
    [`bearer ${TOKEN} `, 200],
    [`Bearer ${TOKEN}x`, 401],
    [`Bearer${TOKEN}`, 401],
    [`Basic ${TOKEN}`, 401],
    ['Bearer ', 401],
    ['', 401],
  ])('in "%s" is answered with %i', async (authorization, status) => {
    await using t = await setUp()
    expect((await t.request('GET', t.path, undefined, authorization)).status).toBe(status)
  })
})

describe('accounts on the private listener', () => {
  it('take all their settings, show them without secrets, and keep what is not named', async () => {
    await using t = await setUp()
    const settings = {
      callsPerSecond: 2.5,
      concurrentCalls: 30,
      waitingCalls: 100,
      callerIds: 'owned-or-verified',
      secondSignatureHeader: 'X-Twilio-Signature',
      tts: { url: 'https://tts.test/', token: 'tts-secret', engineName: 'e', defaultVoice: 'kal' },
      stt: { vendor: 'v', url: 'https://stt.test/', token: 'stt-secret' },
      storage: { bucket: 'b', accessKeyId: 'id', secretAccessKey: 'storage-secret' },
      voice: { url: 'https://app.test/', method: 'GET' },
      allowCidr: ['192.0.2.0/24', '2001:db8::1'],
    }
    const first = await t.request('PATCH', t.path, { phoneRegions: ['US'], settings })
    expect(first.status, first.text).toBe(200)
    const second = await t.request('PATCH', t.path, {
      friendlyName: 'renamed',
      settings: { callsPerSecond: null, concurrentCalls: null, tts: { engineName: null } },
    })
    expect(second.body).toEqual({
      accountSid: t.account.sid,
      friendlyName: 'renamed',
      status: 'active',
      username: t.account.profile.username,
      email: null,
      promo: null,
      isAdministrator: false,
      intl: true,
      masterAccount: null,
      createdAt: new Date(t.account.createdAt).toISOString(),
      updatedAt: new Date((await t.accounts.find(t.account.sid))?.updatedAt ?? 0).toISOString(),
      phoneRegions: ['US'],
      settings: {
        waitingCalls: 100,
        callerIds: 'owned-or-verified',
        secondSignatureHeader: 'X-Twilio-Signature',
        tts: { url: 'https://tts.test/', defaultVoice: 'kal', hasToken: true },
        stt: { vendor: 'v', url: 'https://stt.test/', hasToken: true },
        storage: { bucket: 'b', accessKeyId: 'id', hasSecretAccessKey: true },
        voice: { url: 'https://app.test/', method: 'GET' },
        allowCidr: ['192.0.2.0/24', '2001:db8::1'],
      },
    })
    expect(first.text + second.text).not.toMatch(/(tts|stt|storage)-secret/)
    expect((await t.request('GET', t.path)).body).toEqual(second.body)
    const account = await t.accounts.find(t.account.sid)
    expect(account?.settings.tts.token).toBe('tts-secret')
    expect(account?.settings.storage.secretAccessKey).toBe('storage-secret')
  })

  it.each([
    ['a header that is not an extension', { settings: { secondSignatureHeader: 'Host' } }],
    ['a header that is no token', { settings: { secondSignatureHeader: 'X-A: b\r\nX-C' } }],
    ['no call at all', { settings: { concurrentCalls: 0 } }],
    ['a policy that nobody knows', { settings: { callerIds: 'none' } }],
    ['no rate at all', { settings: { callsPerSecond: 0 } }],
    ['a URL of another kind', { settings: { tts: { url: 'file:///etc/passwd' } } }],
    ['an address that is none', { settings: { allowCidr: ['10.0.0.0/33'] } }],
    ['a country that is none', { phoneRegions: ['XX'] }],
    ['a setting that nobody knows', { settings: { callsPerMinute: 1 } }],
    ['a name of two lines', { friendlyName: 'Acme\nBcc: all' }],
  ])('refuse %s, and stay as they were', async (_what, change) => {
    await using t = await setUp()
    const before = await t.request('GET', t.path)
    expect((await t.request('PATCH', t.path, change)).status).toBe(400)
    expect((await t.request('GET', t.path)).body).toEqual(before.body)
  })

  it('have a username of ten digits, which no other account gets', async () => {
    await using t = await setUp()
    const wanted = { friendlyName: 'x', username: '2025550123' }
    expect((await t.request('POST', '/accounts', wanted)).body).toMatchObject(wanted)
    const again = await t.request('POST', '/accounts', wanted)
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('2025550123')])
    const other = await t.request('POST', '/accounts', { friendlyName: 'x' })
    expect(other.body['username']).toMatch(/^[0-9]{10}$/)
  })

  it('take an address of mail and the rights of an administrator', async () => {
    await using t = await setUp()
    const change = { email: 'Owner@Acme.example', isAdministrator: true }
    expect((await t.request('PATCH', t.path, change)).body).toMatchObject(change)
    expect((await t.request('PATCH', t.path, { friendlyName: 'x' })).body).toMatchObject(change)
    const cleared = await t.request('PATCH', t.path, { email: null, isAdministrator: false })
    expect(cleared.body).toMatchObject({ email: null, isAdministrator: false })
    expect((await t.request('PATCH', t.path, { email: 'nobody' })).status).toBe(400)
  })

  it('get a password and a new token with it; the former token stops', async () => {
    await using t = await setUp()
    const made = await t.request('POST', `${t.path}/password`)
    expect(made.body['password']).toMatch(/^[a-zA-Z0-9]{10}$/)
    expect(await t.accounts.findBySecret(t.account.secret)).toBeUndefined()
    const { secret } = (await t.accounts.find(t.account.sid)) ?? { secret: '' }
    expect(made.body['authToken']).toBe(secret)
    const given = await t.request('POST', `${t.path}/password`, { password: 'long enough' })
    expect(given.body['password']).toBe('long enough')
    expect(given.body['authToken']).not.toBe(secret)
    expect((await t.request('POST', `${t.path}/password`, { password: 'short' })).status).toBe(400)
    const absent = `/accounts/AC${'0'.repeat(32)}/password`
    expect((await t.request('POST', absent)).status).toBe(404)
  })

  it('are not found when they do not exist', async () => {
    await using t = await setUp()
    const path = `/accounts/AC${'0'.repeat(32)}`
    expect((await t.request('GET', path)).status).toBe(404)
    expect((await t.request('PATCH', path, { friendlyName: 'x' })).status).toBe(404)
  })
})
