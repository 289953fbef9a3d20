/**
 * Whether an address or a username is known: neither the answers nor the work behind them tell. The
 * times of the whole server are compared in test/torture/enumeration.torture.test.ts.
 */
import { expect, it } from 'vitest'
import { type HashCost, Passwords } from '../../../src/accounts/passwords.js'
import { accountApiFixture, PASSWORD } from '../../support/account/account-api-fixture.js'
import { QUICK_HASH } from '../../support/account/quick-hash.js'
import { watchedDatabase } from '../../support/account/watched-database.js'

/** Passwords that note each hash they make. */
class CountedPasswords extends Passwords {
  readonly #work: string[]

  constructor(work: string[], cost: HashCost) {
    super(cost)
    this.#work = work
  }

  override hash(password: string): Promise<string> {
    this.#work.push('hash')
    return super.hash(password)
  }

  override isRight(password: string, stored: string | undefined): Promise<boolean> {
    this.#work.push('compare')
    return super.isRight(password, stored)
  }
}

/** Four accounts: in use, not confirmed, disabled and deleted; and one that has no password. */
async function setUp() {
  const work: string[] = []
  const t = await accountApiFixture(
    {},
    {
      watch: (db) => watchedDatabase(db, work),
      passwords: new CountedPasswords(work, QUICK_HASH),
    },
  )
  const passwordHash = await t.passwords.hash(PASSWORD)
  const make = async (username: string, status: 'unverified' | 'active') =>
    await t.accounts.create({
      friendlyName: username,
      username,
      passwordHash,
      status,
      profile: { email: `${username}@acme.example` },
    })
  await make('2025550111', 'unverified')
  const suspended = await make('2025550112', 'active')
  await t.accounts.setStatus(suspended.sid, 'suspended')
  const closed = await make('2025550113', 'active')
  await t.accounts.setStatus(closed.sid, 'closed')
  await t.accounts.create({ friendlyName: 'No password', username: '2025550114' })
  /** What a request does, and what it is answered, without what is made at random. */
  const trace = async (path: string, body: object) => {
    work.length = 0
    const { status, body: answer, headers } = await t.send('POST', path, body)
    const done = [...work]
    await t.mailed()
    const shown = JSON.stringify(answer, (name, value: unknown) =>
      RANDOM.includes(name) ? typeof value : value,
    )
    return { status, shown, type: headers.get('content-type'), done }
  }
  return Object.assign(t, { trace })
}

const RANDOM = ['username', 'password', 'email']
const KNOWN = [
  ['in use', 'owner@acme.example', '2025550100'],
  ['not confirmed', '2025550111@acme.example', '2025550111'],
  ['disabled', '2025550112@acme.example', '2025550112'],
  ['deleted', '2025550113@acme.example', '2025550113'],
  ['in use, in capitals', 'OWNER@ACME.EXAMPLE', '2025550100'],
] as const

it.each(
  KNOWN.flatMap(([title, email]) =>
    ['/v2.2/account/recovery', '/v2.1/account/recover/'].map((path) => [title, path, email]),
  ),
)('a recovery for an account that is %s, by %s, does what one for nobody does', async (_title, path, email) => {
  await using t = await setUp()
  const unknown = await t.trace(path, { email: 'nobody@acme.example' })
  expect(unknown.status).toBe(200)
  expect(unknown.done.length).toBeGreaterThan(0)
  expect(await t.trace(path, { email })).toEqual(unknown)
})

it.each(
  KNOWN.flatMap(([title, email]) =>
    ['/v2.2/accounts', '/v2.1/account/signup/'].map((path) => [title, path, email]),
  ),
)('a sign-up with the address of an account that is %s, by %s, does what any other does', async (_title, path, email) => {
  await using t = await setUp()
  const name = 'Jane'
  const free = await t.trace(path, { name, email: 'nobody@acme.example' })
  expect(free.done.filter((each) => each === 'hash')).toHaveLength(1)
  expect(await t.trace(path, { name, email })).toEqual(free)
})

it.each(
  [...KNOWN, ['without a password', '', '2025550114'] as const].flatMap(([title, , username]) =>
    ['/v2.2/account/api-key', '/v2.1/account/apikey/'].map((path) => [title, path, username]),
  ),
)('a wrong password for an account that is %s, by %s, does what an unknown username does', async (_title, path, username) => {
  await using t = await setUp()
  const unknown = await t.trace(path, { username: '2999999999', password: 'wrong1234' })
  expect(unknown.status).toBe(401)
  expect(unknown.done.filter((each) => each === 'compare')).toHaveLength(1)
  expect(await t.trace(path, { username, password: 'wrong1234' })).toEqual(unknown)
})
