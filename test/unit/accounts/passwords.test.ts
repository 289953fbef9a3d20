import { describe, expect, it } from 'vitest'
import type { Account } from '../../../src/accounts/accounts.js'
import { createLogins } from '../../../src/accounts/logins.js'
import { Passwords } from '../../../src/accounts/passwords.js'
import { accountApiFixture, PASSWORD } from '../../support/account/account-api-fixture.js'
import { QUICK_HASH } from '../../support/account/quick-hash.js'

describe('a password', () => {
  it('is right for its own hash only', async () => {
    const passwords = new Passwords(QUICK_HASH)
    const hash = await passwords.hash('correct horse')
    expect(await passwords.isRight('correct horse', hash)).toBe(true)
    expect(await passwords.isRight('correct hors', hash)).toBe(false)
    expect(await passwords.isRight('', hash)).toBe(false)
    expect(await passwords.isRight('correct horse', undefined)).toBe(false)
  })

  it('has another hash each time, which does not show it', async () => {
    const passwords = new Passwords(QUICK_HASH)
    const [one, other] = [await passwords.hash('secret'), await passwords.hash('secret')]
    expect(one).not.toBe(other)
    expect(one).toMatch(/^scrypt\$16\$1\$1\$/)
    expect(one).not.toContain('secret')
  })

  it('is the same however its accents are typed', async () => {
    const passwords = new Passwords(QUICK_HASH)
    const hash = await passwords.hash('caf\u00e9-caf\u00e9')
    expect(await passwords.isRight('cafe\u0301-cafe\u0301', hash)).toBe(true)
  })

  it('is checked with the cost of its hash, so that the cost may change', async () => {
    const hash = await new Passwords({ N: 32, r: 1, p: 2 }).hash('secret')
    expect(await new Passwords(QUICK_HASH).isRight('secret', hash)).toBe(true)
  })

  it('that is made has ten letters and digits, one of each at least', async () => {
    const passwords = new Passwords(QUICK_HASH)
    for (let index = 0; index < 200; index += 1) {
      const { password } = await passwords.make()
      expect(password).toMatch(/^(?=.*[A-Za-z])(?=.*[0-9])[A-Za-z0-9]{10}$/)
    }
  })

  it('is refused for now when too many are being checked', async () => {
    const passwords = new Passwords(QUICK_HASH)
    const checks = Array.from({ length: 60 }, () => passwords.isRight('x', undefined))
    const results = await Promise.allSettled(checks)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
    expect(await passwords.isRight('x', undefined)).toBe(false)
  })
})

describe('a login', () => {
  it.each([
    ['the right password', '2025550100', PASSWORD],
    ['a wrong password', '2025550100', 'wrong'],
    ['an unknown username', '2999999999', PASSWORD],
    ['a username that is none', "' or 1=1", PASSWORD],
    ['an account without a password', '2025550101', PASSWORD],
  ])('costs one hash: %s', async (_title, username, password) => {
    await using t = await accountApiFixture()
    await t.accounts.create({ friendlyName: 'No password', username: '2025550101' })
    const hashes: (string | undefined)[] = []
    const isRight = (given: string, stored: string | undefined) => {
      hashes.push(stored)
      return t.passwords.isRight(given, stored)
    }
    const logins = createLogins({ db: t.db, accounts: t.accounts, passwords: { isRight } })
    const found: Account | undefined = await logins.authenticate(username, password)
    expect(hashes).toHaveLength(1)
    expect(found?.sid).toBe(
      username === '2025550100' && password === PASSWORD ? t.account.sid : undefined,
    )
  })
})
