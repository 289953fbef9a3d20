import { describe, expect, it } from 'vitest'
import { StorageUnavailableError } from '../../../src/platform/database/storage-error.js'
import { accountApiFixture, PASSWORD } from '../../support/account/account-api-fixture.js'

const USERNAME = '2025550100'
const KEY_PATHS = ['/v2.2/account/api-key', '/v2.2/account/apikey']

describe('the REST style', () => {
  it.each(
    KEY_PATHS.flatMap((path) => [path, `${path}/`]),
  )('answers the key for username and password at %s', async (path) => {
    await using t = await accountApiFixture()
    const answer = await t.send('POST', path, { username: USERNAME, password: PASSWORD })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ status: 'success', data: { apikey: t.account.secret } })
    expect(t.account.secret).toMatch(/^[0-9a-f]{32}$/)
  })

  it('answers every field of the account', async () => {
    await using t = await accountApiFixture()
    const answer = await t.rest('GET', '/account')
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      status: 'success',
      data: {
        username: USERNAME,
        name: 'Acme',
        email: 'owner@acme.example',
        timezone: 'UTC',
        callerId: '',
        created: new Date(t.account.createdAt).toISOString(),
        enabled: true,
        notify: false,
        ccs: 0,
        notifyThreshold: 0,
        authType: 0,
        cash: 0,
        services: {
          sms: true,
          rcid: false,
          mms: true,
          bypassMedia: false,
          e911: false,
          intl: false,
          cnam: false,
          dialer: false,
        },
        rates: {
          fax: 0,
          sms: 0,
          mms: 0,
          tfAdj: 0,
          lrn: 0,
          nibble: 0,
          did: 0,
          cnam: 0,
          intlMax: 0,
        },
      },
    })
  })

  it.each([
    ['no header', undefined],
    ['a wrong key', 'Bearer 00000000000000000000000000000000'],
    ['another scheme', 'Basic 00000000000000000000000000000000'],
    ['a key that is no key', 'Bearer x'],
  ])('refuses %s with 401 and a challenge', async (_title, authorization) => {
    await using t = await accountApiFixture()
    const headers = authorization === undefined ? {} : { authorization }
    const answer = await t.send('GET', '/v2.2/account', undefined, { headers })
    expect(answer.status).toBe(401)
    expect(answer.body).toMatchObject({ status: 'error', error: { code: 401 } })
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /)
  })

  it('takes no key from the body or the query', async () => {
    await using t = await accountApiFixture()
    const { secret } = t.account
    expect((await t.send('GET', `/v2.2/account?apikey=${secret}`)).status).toBe(401)
  })

  it.each([
    ['username', { password: PASSWORD }, 'Field Required: username'],
    ['password', { username: USERNAME }, 'Field Required: password'],
    ['password', { username: USERNAME, password: null }, 'Field Required: password'],
    ['both', {}, 'Field Required: username; Field Required: password'],
  ])('names the missing field: %s', async (_title, body, message) => {
    await using t = await accountApiFixture()
    const answer = await t.send('POST', '/v2.2/account/api-key', body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ status: 'error', error: { code: 400, message } })
  })

  it('takes an optional field that is null for absent, and keeps what it was', async () => {
    await using t = await accountApiFixture()
    await t.rest('PUT', '/account', { callerId: '2025550177' })
    const nothing = { callerId: null, notify: null, notifyThreshold: null }
    const changed = await t.rest('PUT', '/account', { ...nothing, timezone: 'Europe/Paris' })
    expect([changed.status, changed.body['data']]).toEqual([200, { updated: ['timezone'] }])
    expect((await t.rest('GET', '/account')).body['data']).toMatchObject({
      ...{ timezone: 'Europe/Paris', callerId: '2025550177' },
    })
  })

  it('takes null for absent inside the items of a list, and for no item', async () => {
    await using t = await accountApiFixture()
    const numbers = { numbers: [{ number: '2125550199', route: null }] }
    expect((await t.rest('POST', '/orders', numbers)).body).toMatchObject({ status: 'success' })
    expect((await t.rest('POST', '/orders', { numbers: [null] })).body).toEqual({
      ...{ status: 'error', error: { code: 400, message: 'Field Required: numbers.0' } },
    })
  })

  it('answers 400 to a body that is nested deeper than the stack', async () => {
    await using t = await accountApiFixture()
    const raw = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const answer = await t.send('POST', '/v2.2/account/api-key', undefined, { raw })
    expect(answer.status).toBe(400)
  })

  it('answers 400 to a field that is nested deeper than the stack', async () => {
    await using t = await accountApiFixture()
    const raw = `{"did":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`
    const headers = { authorization: `Bearer ${t.account.secret}` }
    const answer = await t.send('POST', '/v2.2/ports', undefined, { raw, headers })
    const message = 'at most 64 levels of nesting are expected'
    expect(answer.body).toEqual({ status: 'error', error: { code: 400, message } })
  })

  it('names a field of the wrong type', async () => {
    await using t = await accountApiFixture()
    const answer = await t.send('POST', '/v2.2/account/api-key', { username: 7, password: 'x' })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      error: { message: expect.stringMatching(/^username: /) as string },
    })
  })

  it.each(['{', '[', 'username=x', '"', '\u0000'])('answers 400 to the body %j', async (raw) => {
    await using t = await accountApiFixture()
    const answer = await t.send('POST', '/v2.2/account/api-key', undefined, { raw })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ error: { code: 400, message: 'The body is not JSON' } })
  })

  it('answers 404 to an unknown path and 405 with Allow to a wrong method', async () => {
    await using t = await accountApiFixture()
    const absent = await t.send('GET', '/v2.2/no-such-thing')
    expect([absent.status, absent.body['status']]).toEqual([404, 'error'])
    const wrong = await t.send('DELETE', '/v2.2/account/api-key')
    expect(wrong.status).toBe(405)
    expect(wrong.headers.get('allow')).toBe('POST')
  })

  it('answers 413 to a body beyond 256 KiB', async () => {
    await using t = await accountApiFixture()
    const raw = JSON.stringify({ username: 'x'.repeat(300_000) })
    const answer = await t.send('POST', '/v2.2/account/api-key', undefined, { raw })
    expect([answer.status, answer.body['status']]).toEqual([413, 'error'])
  })

  it('answers 503 with Retry-After while nothing can be stored', async () => {
    const away = () => Promise.reject(new StorageUnavailableError('the storage is away'))
    await using t = await accountApiFixture({ logins: { authenticate: away } })
    const body = { username: USERNAME, password: PASSWORD }
    const answer = await t.send('POST', '/v2.2/account/api-key', body)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(answer.body).toMatchObject({ status: 'error', error: { code: 503 } })
  })
})

describe('the legacy style', () => {
  it.each([
    '/v2.1/account/apikey/',
    '/v2.1/account/apikey',
  ])('answers the key for username and password at %s', async (path) => {
    await using t = await accountApiFixture()
    const answer = await t.send('POST', path, { username: USERNAME, password: PASSWORD })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      statusCode: '200',
      status: 'Success',
      apikey: t.account.secret,
    })
  })

  it('answers the account under the names of its own', async () => {
    await using t = await accountApiFixture()
    const answer = await t.legacy('/account/info/')
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      statusCode: '200',
      status: 'Success',
      account: [
        {
          name: 'Acme',
          rate: 0,
          enabled: true,
          notify_threshold: 0,
          username: USERNAME,
          caller_id: '',
          notify: false,
          email: 'owner@acme.example',
          created: new Date(t.account.createdAt).toISOString(),
          cash: 0,
        },
      ],
    })
  })

  it('takes the key from the header, which wins over the body', async () => {
    await using t = await accountApiFixture()
    const path = '/v2.1/account/info/'
    const wrong = '0'.repeat(32)
    const { secret } = t.account
    expect((await t.send('POST', path, {}, { key: secret })).status).toBe(200)
    expect((await t.send('POST', path, undefined, { key: secret })).status).toBe(200)
    expect((await t.send('POST', path, { apikey: wrong }, { key: secret })).status).toBe(200)
    expect((await t.send('POST', path, { apikey: secret }, { key: wrong })).status).toBe(401)
  })

  it.each([
    ['is empty', ''],
    ['has no token', 'Bearer'],
    ['is for a proxy before the server', 'Basic dXNlcjpwYXNz'],
  ])('takes the key from the body beside a header that %s', async (_title, authorization) => {
    await using t = await accountApiFixture()
    const headers = { authorization }
    const path = '/v2.1/account/info/'
    const body = { apikey: t.account.secret }
    expect((await t.send('POST', path, body, { headers })).status).toBe(200)
    expect((await t.send('POST', path, {}, { headers })).status).toBe(400)
    expect((await t.send('GET', '/v2.2/account', undefined, { headers })).status).toBe(401)
  })

  it.each([
    ['no body', undefined, 400, 'Field Required: apikey'],
    ['no key', {}, 400, 'Field Required: apikey'],
    ['an empty key', { apikey: '' }, 400, 'Field Required: apikey'],
    ['a key that is no text', { apikey: 7 }, 400, 'apikey: a text is expected'],
    [
      'a wrong key',
      { apikey: '0'.repeat(32) },
      401,
      'Unauthorized: the credentials are missing or wrong',
    ],
  ])('refuses %s', async (_title, body, status, message) => {
    await using t = await accountApiFixture()
    const answer = await t.send('POST', '/v2.1/account/info/', body)
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual({ statusCode: String(status), status: 'Error', message })
  })

  it('answers 400, 404, 405 and 413 in its own shape', async () => {
    await using t = await accountApiFixture()
    const answers = [
      await t.send('POST', '/v2.1/account/info/', undefined, { raw: '{' }),
      await t.send('POST', '/v2.1/no/such/thing/', {}),
      await t.send('POST', '/v2/no/such/thing/', {}),
      await t.send('GET', '/v2.1/account/info/'),
      await t.send('POST', '/v2.1/account/apikey/', undefined, { raw: ' '.repeat(300_000) }),
    ]
    expect(answers.map(({ body }) => [body['statusCode'], body['status']])).toEqual(
      ['400', '404', '404', '405', '413'].map((code) => [code, 'Error']),
    )
  })
})

describe('an account that may not be used', () => {
  it.each(['suspended', 'unverified'] as const)('%s gets 403', async (status) => {
    await using t = await accountApiFixture()
    await t.accounts.setStatus(t.account.sid, status)
    expect((await t.rest('GET', '/account')).status).toBe(403)
    expect((await t.legacy('/account/info/')).status).toBe(403)
    const login = { username: USERNAME, password: PASSWORD }
    expect((await t.send('POST', '/v2.2/account/api-key', login)).status).toBe(403)
  })

  it('closed gets 401, as if it did not exist', async () => {
    await using t = await accountApiFixture()
    await t.accounts.setStatus(t.account.sid, 'closed')
    expect((await t.rest('GET', '/account')).status).toBe(401)
    const login = { username: USERNAME, password: PASSWORD }
    expect((await t.send('POST', '/v2.2/account/api-key', login)).status).toBe(401)
  })

  it('is refused from an address that its AllowCidr does not hold', async () => {
    await using t = await accountApiFixture()
    await t.accounts.update(t.account.sid, { settings: { allowCidr: ['192.0.2.0/24'] } })
    expect((await t.rest('GET', '/account')).status).toBe(403)
    const login = { username: USERNAME, password: PASSWORD }
    expect((await t.send('POST', '/v2.1/account/apikey/', login)).status).toBe(403)
  })
})

describe('the limit of an hour', () => {
  it('lets one address ask six times for the account, over both styles', async () => {
    await using t = await accountApiFixture({ requestsPerHour: 6 })
    for (const _ of [1, 2, 3]) {
      expect((await t.rest('GET', '/account')).status).toBe(200)
      expect((await t.legacy('/account/info/')).status).toBe(200)
    }
    const refused = await t.rest('GET', '/account')
    expect(refused.status).toBe(429)
    expect(refused.body).toMatchObject({ status: 'error', error: { code: 429 } })
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBe(600)
    expect((await t.legacy('/account/info/')).body).toMatchObject({ statusCode: '429' })
    t.clock.turn(wait * 1_000)
    expect((await t.rest('GET', '/account')).status).toBe(200)
  })

  it('counts wrong passwords too, and each operation by itself', async () => {
    await using t = await accountApiFixture({ requestsPerHour: 6 })
    const ask = (password: string) =>
      t.send('POST', '/v2.2/account/api-key', { username: USERNAME, password })
    for (const _ of [1, 2, 3, 4, 5, 6]) expect((await ask('wrong')).status).toBe(401)
    expect((await ask(PASSWORD)).status).toBe(429)
    expect((await t.rest('GET', '/account')).status).toBe(200)
  })
})

describe('wrong credentials', () => {
  it('are counted with those of every other API', async () => {
    await using t = await accountApiFixture()
    const statuses = new Set<number>()
    for (let guess = 0; guess < 250; guess += 1)
      statuses.add((await t.send('GET', '/v2.2/account')).status)
    expect([...statuses]).toEqual([401, 429])
  })

  it.each([
    ['an unknown username', '9999999999', PASSWORD],
    ['a wrong password', USERNAME, 'abcdef1235'],
    ['a username that is none', 'x', PASSWORD],
    ['the sid', 'AC00000000000000000000000000000000', PASSWORD],
  ])('of the key are answered alike: %s', async (_title, username, password) => {
    await using t = await accountApiFixture()
    const answer = await t.send('POST', '/v2.2/account/api-key', { username, password })
    expect(answer.status).toBe(401)
    expect(answer.body).toEqual({
      status: 'error',
      error: { code: 401, message: 'Unauthorized: the credentials are missing or wrong' },
    })
  })
})
