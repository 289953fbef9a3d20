import { describe, expect, it } from 'vitest'
import { accountApiFixture, PASSWORD } from '../../support/account/account-api-fixture.js'
import { linkIn } from '../../support/mail/smtp-sink.js'

const HOUR = 3_600_000
const WANTED = { name: 'Jane', email: 'jane@reader.example' }

type Fixture = Awaited<ReturnType<typeof accountApiFixture>>

interface Made {
  readonly username: string
  readonly password: string
}

async function signUp(t: Fixture, wanted: object = WANTED): Promise<Made> {
  const answer = await t.send('POST', '/v2.2/accounts', wanted)
  expect(answer.status, answer.text).toBe(201)
  return answer.body['data'] as Made
}

/** Asks for a recovery link and resolves with its path. */
async function recoveryLink(t: Fixture, email = 'owner@acme.example'): Promise<string> {
  await t.send('POST', '/v2.2/account/recovery', { email })
  return linkIn((await t.mailed()).at(-1)?.text ?? '')
}

const submit = async (t: Fixture, path: string, form: Readonly<Record<string, string>> = {}) =>
  await t.app.request(path, { method: 'POST', body: new URLSearchParams(form) })

const keyOf = (t: Fixture, { username, password }: Made) =>
  t.send('POST', '/v2.2/account/api-key', { username, password })

describe('a sign-up', () => {
  it.each(['/v2.2/accounts', '/v2.2/account/signup'])('at %s answers all fields', async (path) => {
    await using t = await accountApiFixture()
    const answer = await t.send('POST', path, { ...WANTED, promo: 'SPRING' })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      status: 'success',
      data: {
        username: expect.stringMatching(/^[0-9]{10}$/) as string,
        password: expect.stringMatching(/^[A-Za-z0-9]{10}$/) as string,
        ...WANTED,
      },
    })
    const { username } = answer.body['data'] as Made
    expect((await t.accounts.findByUsername(username))?.profile.promo).toBe('SPRING')
  })

  it.each([
    ['/v2.2/accounts', 'jane@mailinator.com'],
    ['/v2.1/account/signup/', 'jane@inbox.mailinator.com'],
  ])('at %s is refused for an address at a disposable mail service', async (path, email) => {
    await using t = await accountApiFixture()
    const answer = await t.send('POST', path, { ...WANTED, email })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('email: it is at a disposable mail service')
    expect(await t.mailed()).toEqual([])
  })

  it('works in the legacy style', async () => {
    await using t = await accountApiFixture()
    const answer = await t.send('POST', '/v2.1/account/signup/', WANTED)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ statusCode: '200', status: 'Success', ...WANTED })
  })

  it('can be used once the link in its mail is confirmed, which works once', async () => {
    await using t = await accountApiFixture()
    const made = await signUp(t)
    expect((await keyOf(t, made)).status).toBe(403)
    const [mail] = await t.mailed()
    expect(mail?.to).toBe(WANTED.email)
    expect(mail?.text).toContain(made.username)
    const path = linkIn(mail?.text ?? '')
    const page = await t.app.request(path)
    expect(page.status).toBe(200)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(await page.text()).toContain(made.username)
    // Programs that check mails open every link: that alone confirms nothing.
    expect((await keyOf(t, made)).status).toBe(403)
    expect((await submit(t, path)).status).toBe(200)
    expect((await keyOf(t, made)).status).toBe(200)
    expect((await submit(t, path)).status).toBe(404)
    expect((await t.app.request(path)).status).toBe(404)
    expect(await t.mailed()).toHaveLength(1)
  })

  it('has a link for 24 hours', async () => {
    await using t = await accountApiFixture()
    const made = await signUp(t)
    const path = linkIn((await t.mailed())[0]?.text ?? '')
    t.clock.turn(24 * HOUR)
    expect((await submit(t, path)).status).toBe(404)
    expect((await keyOf(t, made)).status).toBe(403)
  })

  it('that the operator has disabled is not enabled by its link', async () => {
    await using t = await accountApiFixture()
    const { username } = await signUp(t)
    const path = linkIn((await t.mailed())[0]?.text ?? '')
    const account = await t.accounts.findByUsername(username)
    await t.accounts.setStatus(account?.sid ?? '', 'suspended')
    expect((await submit(t, path)).status).toBe(404)
    expect((await t.accounts.findByUsername(username))?.status).toBe('suspended')
  })

  it('for an address with an account is answered like any other', async () => {
    await using t = await accountApiFixture()
    const taken = await t.send('POST', '/v2.2/accounts', {
      name: 'Jane',
      email: 'owner@acme.example',
    })
    const free = await t.send('POST', '/v2.2/accounts', WANTED)
    const shape = ({ status, body }: typeof free) => [status, Object.keys(body['data'] as object)]
    expect(shape(taken)).toEqual(shape(free))
  })

  it('sends an address at most three mails in an hour', async () => {
    await using t = await accountApiFixture()
    for (const _ of [1, 2, 3, 4, 5]) {
      await signUp(t)
      t.clock.turn(1_000)
    }
    expect(await t.mailed()).toHaveLength(3)
  })

  it('with an Idempotency-Key makes one account and sends one mail', async () => {
    await using t = await accountApiFixture()
    const asked = { headers: { 'idempotency-key': 'k' } }
    const first = await t.send('POST', '/v2.2/accounts', WANTED, asked)
    const again = await t.send('POST', '/v2.2/accounts', WANTED, asked)
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await t.mailed()).toHaveLength(1)
  })

  it.each([
    [{ email: WANTED.email }, 'Field Required: name'],
    [{ name: 'Jane' }, 'Field Required: email'],
    [{ ...WANTED, email: 'jane' }, 'email: an address of mail is expected'],
    [{ ...WANTED, promo: 7 }, /^promo: /],
    [{ ...WANTED, name: ' ' }, /^name: /],
    [{ ...WANTED, name: 'Jane\nDoe' }, 'name: one line of text is expected'],
  ])('%j is 400, and leaves nothing behind', async (body, message) => {
    await using t = await accountApiFixture()
    const before = await t.accounts.count()
    const answer = await t.send('POST', '/v2.2/accounts', body)
    expect(answer.status).toBe(400)
    const { error } = answer.body as { error: { message: string } }
    expect(error.message).toMatch(message)
    expect(await t.accounts.count()).toBe(before)
    expect(await t.mailed()).toEqual([])
  })

  it('is limited by address', async () => {
    await using t = await accountApiFixture({ requestsPerHour: 2 })
    const statuses: number[] = []
    for (const _ of [1, 2, 3])
      statuses.push((await t.send('POST', '/v2.2/accounts', WANTED)).status)
    expect(statuses).toEqual([201, 201, 429])
  })
})

describe('a recovery', () => {
  it.each([
    '/v2.2/account/recovery',
    '/v2.2/account/recover',
    '/v2.1/account/recover/',
  ])('at %s answers the same for every address, and writes the same', async (path) => {
    await using t = await accountApiFixture()
    const known = await t.send('POST', path, { email: 'owner@acme.example' })
    const unknown = await t.send('POST', path, { email: 'nobody@acme.example' })
    expect(known.status).toBe(200)
    expect(unknown.status).toBe(200)
    expect(unknown.text).toBe(known.text)
    const rows = await t.db.read.selectFrom('outbox').select(['channel', 'kind']).execute()
    expect(rows).toEqual([
      { channel: 'account-mail', kind: 'recovery' },
      { channel: 'account-mail', kind: 'recovery' },
    ])
    const mails = await t.mailed()
    expect(mails.map(({ to }) => to)).toEqual(['owner@acme.example'])
  })

  it('sets a new password by its link: the former password, key and links stop', async () => {
    await using t = await accountApiFixture()
    const other = await recoveryLink(t)
    const path = await recoveryLink(t, 'OWNER@acme.example')
    expect(other).not.toBe(path)
    expect(await (await t.app.request(path)).text()).toContain('2025550100')
    expect((await submit(t, path, { password: 'a new password' })).status).toBe(200)
    const login = { username: '2025550100' }
    expect((await keyOf(t, { ...login, password: PASSWORD })).status).toBe(401)
    const answer = await keyOf(t, { ...login, password: 'a new password' })
    const { apikey } = answer.body['data'] as { apikey: string }
    expect(apikey).toMatch(/^[0-9a-f]{32}$/)
    expect(apikey).not.toBe(t.account.secret)
    expect((await t.rest('GET', '/account')).status).toBe(401)
    expect((await t.send('GET', '/v2.2/account', undefined, { key: apikey })).status).toBe(200)
    for (const dead of [path, other]) {
      expect((await submit(t, dead, { password: 'another one' })).status).toBe(404)
      expect((await t.app.request(dead)).status).toBe(404)
    }
    expect((await t.mailed()).at(-1)?.subject).toBe('Your password was changed')
  })

  it('is used by one of two requests at once', async () => {
    await using t = await accountApiFixture()
    const path = await recoveryLink(t)
    const answers = await Promise.all(
      ['first password', 'second password'].map((password) => submit(t, path, { password })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
  })

  it('has a link for an hour', async () => {
    await using t = await accountApiFixture()
    const path = await recoveryLink(t)
    t.clock.turn(HOUR)
    expect((await submit(t, path, { password: 'a new password' })).status).toBe(404)
  })

  it.each(['', 'short', 'x'.repeat(129)])('does not take the password %j', async (password) => {
    await using t = await accountApiFixture()
    const path = await recoveryLink(t)
    const answer = await submit(t, path, { password })
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('8 to 128 characters')
    expect((await keyOf(t, { username: '2025550100', password: PASSWORD })).status).toBe(200)
    expect((await submit(t, path, { password: 'a new password' })).status).toBe(200)
  })

  it.each([
    'password',
    'Passw0rd!',
    'P@$$w0rd123',
    '12345678',
    '987654321',
    'aaaaaaaa',
    'abcabcabc',
    'qwertyuiop',
    '1qaz2wsx',
    'Qwerty123',
    'letmein1',
    'iloveyou',
    'Welcome2026',
    '2025550100',
    'owner@acme.example',
    'Owner2026!',
  ])('does not take a password that everybody tries: %j', async (password) => {
    await using t = await accountApiFixture()
    const path = await recoveryLink(t)
    const answer = await submit(t, path, { password })
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('Everybody tries this password')
    expect((await keyOf(t, { username: '2025550100', password })).status).toBe(401)
  })

  it.each([
    'correct horse battery staple',
    'k3Vd9wPq',
    'my password is long',
    'gh7-kk2-pp9',
    'Zaragoza-Lille-84',
  ])('takes another one: %j', async (password) => {
    await using t = await accountApiFixture()
    const path = await recoveryLink(t)
    expect((await submit(t, path, { password })).status).toBe(200)
  })

  it('link of another purpose, of nobody, or malformed is dead', async () => {
    await using t = await accountApiFixture()
    const path = await recoveryLink(t)
    const token = path.split('/').at(-1) ?? ''
    expect((await submit(t, `/v2.2/account/verification/${token}`)).status).toBe(404)
    for (const bad of ['x', 'A'.repeat(43), '%00', '..%2f..'])
      expect((await t.app.request(`/v2.2/account/recovery/${bad}`)).status).toBe(404)
  })

  it('sends an account at most three mails in an hour', async () => {
    await using t = await accountApiFixture()
    for (const _ of [1, 2, 3, 4, 5]) {
      await t.send('POST', '/v2.2/account/recovery', { email: 'owner@acme.example' })
      await t.mailed()
      t.clock.turn(1_000)
    }
    expect(await t.mailed()).toHaveLength(3)
  })

  it('names every account of the address in one mail', async () => {
    await using t = await accountApiFixture()
    const second = await t.accounts.create({
      friendlyName: 'Second',
      profile: { email: 'Owner@Acme.example' },
    })
    await t.send('POST', '/v2.2/account/recovery', { email: 'owner@acme.example' })
    const mails = await t.mailed()
    expect(mails).toHaveLength(1)
    expect(mails[0]?.text).toContain('2025550100: ')
    expect(mails[0]?.text).toContain(`${second.profile.username}: `)
  })

  it.each([{}, { email: 7 }, { email: 'owner' }, { email: '' }])('%j is 400', async (body) => {
    await using t = await accountApiFixture()
    const answer = await t.send('POST', '/v2.2/account/recovery', body)
    expect(answer.status).toBe(400)
    const { error } = answer.body as { error: { message: string } }
    expect(error.message).toContain('email')
  })

  it('ends with a password that the operator gives', async () => {
    await using t = await accountApiFixture()
    const path = await recoveryLink(t)
    await t.accounts.setPassword(t.account.sid, await t.passwords.hash('given by operator'))
    expect((await submit(t, path, { password: 'a new password' })).status).toBe(404)
  })
})

describe('a mail that fails', () => {
  it('is sent later, with the same link', async () => {
    await using t = await accountApiFixture()
    t.failNextMails(2)
    await signUp(t)
    expect(await t.mailed()).toEqual([])
    for (const _ of [1, 2, 3]) {
      t.clock.turn(60_000)
      await t.mailed()
    }
    const mails = await t.mailed()
    expect(mails).toHaveLength(1)
    expect((await submit(t, linkIn(mails[0]?.text ?? ''))).status).toBe(200)
  })
})
