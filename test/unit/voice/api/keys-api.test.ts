import { describe, expect, it } from 'vitest'
import type { Account } from '../../../../src/accounts/accounts.js'
import { createPublicApp } from '../../../../src/platform/http/public-app.js'
import { createLogger } from '../../../../src/platform/log.js'
import { createVoiceApi } from '../../../../src/voice/api/voice-api.js'
import { setUpCalls } from '../../../support/voice/calls-fixture.js'

type Body = Readonly<Record<string, unknown>>

const RFC_2822 = expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000$/) as unknown

async function setUp() {
  const bench = await setUpCalls()
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log: createLogger('silent'),
    mount: [createVoiceApi({ ...bench, log: createLogger('silent') })],
  })
  const as =
    (account: Account, username: string = account.sid, password: string = account.secret) =>
    async (method: string, path: string, form?: Readonly<Record<string, string>>) => {
      const basic = Buffer.from(`${username}:${password}`).toString('base64')
      const answer = await app.request(`/2010-04-01/Accounts/${account.sid}${path}`, {
        method,
        headers: { authorization: `Basic ${basic}` },
        ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      })
      const text = await answer.text()
      return { status: answer.status, text, body: (text === '' ? {} : JSON.parse(text)) as Body }
    }
  return { ...bench, as, api: as(bench.account) }
}

describe.each([
  ['Keys', 'keys'],
  ['SigningKeys', 'signing_keys'],
])('the %s resource', (path, name) => {
  it('makes a key, shows its secret once, renames it and deletes it', async () => {
    await using t = await setUp()
    const made = await t.api('POST', `/${path}.json`, { FriendlyName: 'laptop' })
    expect(made.status).toBe(201)
    const { secret, ...shown } = made.body
    const sid = String(shown['sid'])
    expect(secret).toMatch(/^[0-9a-f]{32}$/)
    expect(shown).toEqual({
      sid: expect.stringMatching(/^SK[0-9a-f]{32}$/) as unknown,
      friendly_name: 'laptop',
      date_created: RFC_2822,
      date_updated: RFC_2822,
    })
    expect((await t.api('GET', `/${path}/${sid}.json`)).body).toEqual(shown)
    expect((await t.api('GET', `/${path}.json`)).body).toMatchObject({ [name]: [shown], total: 1 })
    const renamed = await t.api('POST', `/${path}/${sid}.json`, { FriendlyName: 'desktop' })
    expect(renamed.body).toMatchObject({ sid, friendly_name: 'desktop' })
    expect((await t.api('DELETE', `/${path}/${sid}.json`)).status).toBe(204)
    expect((await t.api('GET', `/${path}/${sid}.json`)).status).toBe(404)
    expect((await t.api('DELETE', `/${path}/${sid}.json`)).status).toBe(404)
    const rows = JSON.stringify(await t.db.read.selectFrom('account_keys').selectAll().execute())
    expect(rows).not.toContain(String(secret))
  })

  it('refuses a name that is too long, and leaves nothing behind', async () => {
    await using t = await setUp()
    const refused = await t.api('POST', `/${path}.json`, { FriendlyName: 'x'.repeat(65) })
    expect(refused).toMatchObject({ status: 400, body: { code: 20002 } })
    expect((await t.api('GET', `/${path}.json`)).body).toMatchObject({ [name]: [] })
  })
})

describe('a key as credentials', () => {
  const madeIn = async (t: Awaited<ReturnType<typeof setUp>>) => {
    const { key, secret } = await t.accountKeys.create(t.account.sid, 'robot')
    return { key, secret, byKey: t.as(t.account, key.sid, secret) }
  }

  it('opens its own account, and no other', async () => {
    await using t = await setUp()
    const { key, secret, byKey } = await madeIn(t)
    expect((await byKey('GET', '/Calls.json')).status).toBe(200)
    expect((await t.as(t.account, key.sid, 'f'.repeat(32))('GET', '/Calls.json')).status).toBe(401)
    const other = await t.accounts.create({ friendlyName: 'other' })
    const foreign = await t.as(other, key.sid, secret)('GET', '/Calls.json')
    const absent = await t.as({ ...other, sid: t.account.sid }, key.sid, secret)('GET', '/Nothing')
    expect([foreign.status, absent.status]).toEqual([404, 404])
  })

  it('opens nothing from the moment that it is deleted', async () => {
    await using t = await setUp()
    const { key, byKey } = await madeIn(t)
    expect((await byKey('GET', '/Balance.json')).status).toBe(200)
    expect((await t.api('DELETE', `/Keys/${key.sid}.json`)).status).toBe(204)
    expect((await byKey('GET', '/Balance.json')).status).toBe(401)
  })

  it('makes no other key and changes no account: a stolen one would outlive itself', async () => {
    await using t = await setUp()
    const { key, byKey } = await madeIn(t)
    for (const [method, path] of [
      ['POST', '/Keys.json'],
      ['POST', `/SigningKeys/${key.sid}.json`],
      ['DELETE', `/Keys/${key.sid}.json`],
      ['POST', '.json'],
    ] as const)
      expect(await byKey(method, path, method === 'POST' ? {} : undefined)).toMatchObject({
        status: 403,
        body: { code: 20006 },
      })
    expect((await byKey('GET', `/Keys/${key.sid}.json`)).status).toBe(200)
    expect((await byKey('GET', '.json')).status).toBe(200)
  })

  it('tells an unknown key, a wrong secret and a wrong account by one answer', async () => {
    await using t = await setUp()
    const { key } = await madeIn(t)
    const answers = await Promise.all([
      t.as(t.account, key.sid, 'guess')('GET', '/Calls.json'),
      t.as(t.account, `SK${'0'.repeat(32)}`, 'guess')('GET', '/Calls.json'),
      t.as(t.account, 'SK', '')('GET', '/Calls.json'),
      t.as(t.account, t.account.sid, 'guess')('GET', '/Calls.json'),
    ])
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  })

  it('is not seen by another account, in the very words of one that does not exist', async () => {
    await using t = await setUp()
    const { key } = await madeIn(t)
    const other = t.as(await t.accounts.create({ friendlyName: 'other' }))
    const nobody = `SK${'0'.repeat(32)}`
    for (const method of ['GET', 'POST', 'DELETE']) {
      const form = method === 'POST' ? { FriendlyName: 'mine' } : undefined
      const theirs = await other(method, `/Keys/${key.sid}.json`, form)
      const absent = await other(method, `/Keys/${nobody}.json`, form)
      expect(theirs.status).toBe(404)
      expect(theirs.text.replaceAll(key.sid, nobody)).toBe(absent.text)
    }
    expect((await other('GET', '/Keys.json')).body).toMatchObject({ keys: [], total: 0 })
    expect((await t.accountKeys.fetch(t.account.sid, key.sid)).friendlyName).toBe('robot')
  })
})

describe('Balance and Notifications', () => {
  it('are always zero and always empty', async () => {
    await using t = await setUp()
    expect(await t.api('GET', '/Balance.json')).toMatchObject({
      status: 200,
      body: { account_sid: t.account.sid, balance: '0.00', currency: 'USD' },
    })
    const filters = '?Log=1&MessageDate%3E=2026-01-01&PageSize=5'
    expect(await t.api('GET', `/Notifications.json${filters}`)).toMatchObject({
      status: 200,
      body: { notifications: [], page: 0, page_size: 5, next_page_uri: null },
    })
    expect((await t.api('GET', `/Notifications/NO${'0'.repeat(32)}.json`)).status).toBe(404)
  })

  it('exist for a call of the account only', async () => {
    await using t = await setUp()
    const call = await t.calls.create(t.account, {
      to: '+15005550001',
      from: '+15551112222',
      plan: { document: { type: 'inline', text: '' }, timeoutSeconds: 1 },
    })
    const of = (sid: string, more = '') => t.api('GET', `/Calls/${sid}/Notifications${more}.json`)
    expect(await of(call.sid)).toMatchObject({ status: 200, body: { notifications: [] } })
    expect((await of(call.sid, `/NO${'0'.repeat(32)}`)).status).toBe(404)
    expect((await of(`CA${'0'.repeat(32)}`)).status).toBe(404)
  })
})
