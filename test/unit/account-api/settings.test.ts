import { describe, expect, it } from 'vitest'
import { NO_BILLING } from '../../../src/account-api/account-billing.js'
import type { Database } from '../../../src/platform/database/database.js'
import { accountApiFixture } from '../../support/account/account-api-fixture.js'
import { interrupted } from '../../support/process/interrupted-database.js'

const CUSTOMER = {
  timezone: 'America/New_York',
  notify: true,
  notifyThreshold: 25,
  callerId: '2025550143',
}
const FLAGS = {
  sms: true,
  rcid: true,
  mms: true,
  bypassMedia: true,
  e911: true,
  intl: true,
  cnam: true,
  dialer: true,
}

/** The fixture, with an administrator beside the customer. */
async function setUp(watch: (db: Database) => Database = (db) => db) {
  const changed: [string, unknown][] = []
  const t = await accountApiFixture(
    {
      billing: {
        ...NO_BILLING,
        changeRates: (sid, change) => {
          changed.push([sid, change])
          return Promise.resolve()
        },
      },
    },
    { watch },
  )
  const administrator = await t.accounts.create({
    friendlyName: 'Operator',
    profile: { isAdministrator: true },
  })
  return { ...t, administrator, changed }
}

describe('the settings of an account', () => {
  it('that a customer may set are set, and listed', async () => {
    await using t = await setUp()
    const answer = await t.rest('PUT', '/account', CUSTOMER)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ status: 'success', data: { updated: Object.keys(CUSTOMER) } })
    expect((await t.rest('GET', '/account')).body).toMatchObject({ data: CUSTOMER })
    expect((await t.rest('PUT', '/account', { callerId: '' })).status).toBe(200)
    const data = { ...CUSTOMER, callerId: '' }
    expect((await t.rest('GET', '/account')).body).toMatchObject({ data })
  })

  it.each([
    'ccs',
    ...Object.keys(FLAGS),
    'rates',
  ])('that only an administrator may set are 400 for a customer: %s', async (field) => {
    await using t = await setUp()
    const value = field === 'ccs' ? 5 : field === 'rates' ? { nibble: 0.01 } : true
    const answer = await t.rest('PUT', '/account', { ...CUSTOMER, [field]: value })
    expect(answer.status).toBe(400)
    const message = `${field}: only an administrator may set this`
    expect(answer.body).toMatchObject({ error: { code: 400, message } })
    expect((await t.rest('GET', '/account')).body).toMatchObject({ data: { timezone: 'UTC' } })
    expect(t.changed).toEqual([])
  })

  it('are set by an administrator on the account that the body names', async () => {
    await using t = await setUp()
    const { username } = t.account.profile
    const rates = { nibble: 0.012, sms: 0.004 }
    const body = { username, ...CUSTOMER, ccs: 12, ...FLAGS, rates }
    const answer = await t.rest('PUT', '/account', body, t.administrator)
    expect(answer.status).toBe(200)
    const { username: _account, ...fields } = body
    expect(answer.body).toMatchObject({ data: { updated: Object.keys(fields) } })
    const details = await t.rest('GET', '/account')
    expect(details.body).toMatchObject({ data: { ...CUSTOMER, ccs: 12, services: FLAGS } })
    expect(t.changed).toEqual([[t.account.sid, rates]])
    // The cap is the one that the operator sets on the private listener.
    expect((await t.accounts.find(t.account.sid))?.settings.concurrentCalls).toBe(12)
    const own = await t.rest('GET', '/account', undefined, t.administrator)
    expect(own.body).toMatchObject({ data: { ccs: 0, timezone: 'UTC' } })
  })

  it('of another account are not changed by a customer', async () => {
    await using t = await setUp()
    const other = await t.another('Other')
    const body = { username: other.profile.username, timezone: 'Europe/Berlin' }
    expect((await t.rest('PUT', '/account', body)).status).toBe(403)
    const missing = await t.rest('PUT', '/account', { username: '2999999999' }, t.administrator)
    expect(missing.status).toBe(404)
  })

  it.each([
    ['timezone', 'Mars/Olympus'],
    ['timezone', '+01:00'],
    ['timezone', ''],
    ['timezone', 7],
    ['notify', 'true'],
    ['notifyThreshold', 1.5],
    ['notifyThreshold', -1],
    ['callerId', '1025550143'],
    ['callerId', '+12025550143'],
    ['callerId', '2021550143'],
    ['ccs', -1],
    ['sms', 'yes'],
    ['username', '123'],
    ['username', ''],
  ])('are not set to what breaks their rule: %s %j', async (field, value) => {
    await using t = await setUp()
    const answer = await t.rest('PUT', '/account', { [field]: value }, t.administrator)
    expect(answer.status).toBe(400)
    const message = expect.stringMatching(new RegExp(`^${field}: `)) as string
    expect(answer.body).toMatchObject({ error: { code: 400, message } })
  })

  it('that nobody knows are refused by name', async () => {
    await using t = await setUp()
    const answer = await t.rest('PUT', '/account', { cash: 100, timezone: 'Europe/Berlin' })
    expect(answer.body).toMatchObject({ error: { code: 400, message: 'Unknown field: cash' } })
    expect((await t.rest('GET', '/account')).body).toMatchObject({ data: { timezone: 'UTC' } })
  })
})

const WANTED = { username: '2025550177', name: 'Branch', email: 'branch@acme.example' }

describe('a sub-account', () => {
  it('is made by an administrator, and billed to itself unless another is named', async () => {
    await using t = await setUp()
    const first = await t.rest('POST', '/account', WANTED, t.administrator)
    expect(first.status).toBe(201)
    const password = expect.stringMatching(/^[a-zA-Z0-9]{10}$/) as string
    const data = { ...WANTED, password, masterAccount: WANTED.username }
    expect(first.body).toEqual({ status: 'success', data })
    const second = { ...WANTED, username: '2025550178', masterAccount: WANTED.username }
    const answer = await t.rest('POST', '/account', second, t.administrator)
    expect(answer.body).toMatchObject({ data: second })
    const master = await t.accounts.findByUsername(WANTED.username)
    const made = await t.accounts.findByUsername('2025550178')
    expect(made?.profile.masterSid).toBe(master?.sid)
    expect(master?.profile.masterSid).toBeUndefined()
  })

  it('is not billed to an account that is closed at that moment', async () => {
    let next: ReturnType<typeof interrupted>['next'] | undefined
    await using t = await setUp((db) => {
      const seen = interrupted(db)
      next = seen.next
      return seen.db
    })
    const master = await t.another('Master')
    if (next !== undefined) next.first = () => t.accounts.setStatus(master.sid, 'closed')
    const wanted = { ...WANTED, masterAccount: master.profile.username }
    const answer = await t.rest('POST', '/account', wanted, t.administrator)
    expect(answer.body).toMatchObject({
      error: { code: 400, message: 'masterAccount: there is no such account' },
    })
    expect(await t.accounts.findByUsername(WANTED.username)).toBeUndefined()
  })

  it('signs in with the password that the answer has', async () => {
    await using t = await setUp()
    const { body } = await t.rest('POST', '/account', WANTED, t.administrator)
    const { username, password } = body['data'] as { username: string; password: string }
    const answer = await t.send('POST', '/v2.2/account/api-key', { username, password })
    expect(answer.status).toBe(200)
  })

  it('is made in the legacy style too', async () => {
    await using t = await setUp()
    const answer = await t.legacy('/account/add/', WANTED, t.administrator)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ statusCode: '200', ...WANTED })
  })

  it.each([
    ['customer', 403, {}],
    ['customer', 403, WANTED],
  ])('is not made by a %s: %i', async (_who, status, body) => {
    await using t = await setUp()
    expect((await t.rest('POST', '/account', body)).status).toBe(status)
    expect((await t.legacy('/account/add/', body)).body['statusCode']).toBe('403')
    expect(await t.accounts.findByUsername(WANTED.username)).toBeUndefined()
  })

  it('does not get a username that is taken', async () => {
    await using t = await setUp()
    const taken = { ...WANTED, username: t.account.profile.username }
    const answer = await t.rest('POST', '/account', taken, t.administrator)
    expect(answer.status).toBe(409)
    expect(answer.body).toMatchObject({ error: { code: 409, message: 'username: it is taken' } })
  })

  it.each([
    ['username', { ...WANTED, username: undefined }, 'Field Required: username'],
    ['username', { ...WANTED, username: '12345' }, 'username: ten digits are expected'],
    ['username', { ...WANTED, username: 'abcdefghij' }, 'username: ten digits are expected'],
    ['name', { ...WANTED, name: '' }, 'Field Required: name'],
    ['name', { ...WANTED, name: 'Acme\r\nBcc: all' }, 'name: one line of text is expected'],
    ['email', { ...WANTED, email: 'x' }, 'email: an address of mail is expected'],
    ['email', { ...WANTED, email: 'a@b.example\r\nBcc: c@d.example' }, /^email: /],
    [
      'masterAccount',
      { ...WANTED, masterAccount: '2999999999' },
      'masterAccount: there is no such account',
    ],
  ])('needs a right %s', async (_field, body, message) => {
    await using t = await setUp()
    const answer = await t.rest('POST', '/account', body, t.administrator)
    expect(answer.status).toBe(400)
    const { error } = answer.body as { error: { message: string } }
    expect(error.message).toMatch(message)
    expect(await t.accounts.findByUsername(WANTED.username)).toBeUndefined()
  })
})

describe('a write with an Idempotency-Key', () => {
  const keyed = (key: string, name: string) => ({ key, headers: { 'idempotency-key': name } })

  it('happens once, and its answer comes again with its secrets', async () => {
    await using t = await setUp()
    const asked = keyed(t.administrator.secret, 'one')
    const first = await t.send('POST', '/v2.2/account', WANTED, asked)
    const again = await t.send('POST', '/v2.2/account', WANTED, asked)
    expect(again.status).toBe(201)
    expect(again.text).toBe(first.text)
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    const other = { ...WANTED, name: 'Other' }
    const reused = await t.send('POST', '/v2.2/account', other, asked)
    expect([reused.status, reused.body['status']]).toEqual([409, 'error'])
    const legacy = await t.send('POST', '/v2.1/account/add/', WANTED, asked)
    expect(legacy.body).toMatchObject({ statusCode: '409', status: 'Error' })
  })

  it('keeps the answer sealed, since it may hold a password', async () => {
    await using t = await setUp()
    const asked = keyed(t.administrator.secret, 'one')
    const { body } = await t.send('POST', '/v2.2/account', WANTED, asked)
    const { password } = body['data'] as { password: string }
    const rows = await t.db.read.selectFrom('idempotent_requests').selectAll().execute()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(password)
  })

  it('is another request after 24 hours', async () => {
    await using t = await setUp()
    const asked = keyed(t.account.secret, 'one')
    const send = (timezone: string) => t.send('PUT', '/v2.2/account', { timezone }, asked)
    expect((await send('Europe/Berlin')).status).toBe(200)
    expect((await send('Europe/Paris')).status).toBe(409)
    t.clock.turn(24 * 3_600_000 + 1)
    expect((await send('Europe/Paris')).status).toBe(200)
  })

  it('that comes while another one runs is 409 with Retry-After', async () => {
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await using t = await accountApiFixture({
      billing: { ...NO_BILLING, changeRates: () => held },
    })
    const administrator = await t.accounts.create({
      friendlyName: 'Operator',
      profile: { isAdministrator: true },
    })
    const asked = keyed(administrator.secret, 'one')
    const send = () => t.send('PUT', '/v2.2/account', { rates: { sms: 1 } }, asked)
    // Whichever is first is held, and the other one is answered.
    const both = [send(), send()]
    const refused = await Promise.race(both)
    expect(refused.status).toBe(409)
    expect(refused.headers.get('retry-after')).toBe('1')
    release()
    const statuses = (await Promise.all(both)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 409])
  })

  it('of too long a key is 400', async () => {
    await using t = await setUp()
    const asked = keyed(t.account.secret, 'x'.repeat(256))
    const answer = await t.send('PUT', '/v2.2/account', { notify: true }, asked)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ error: { code: 400 } })
  })
})
