import type { Database } from '../platform/database/database.js'
import { findLogin } from './account-storage.js'
import type { Account, Accounts } from './accounts.js'
import type { Passwords } from './passwords.js'
import { USERNAME } from './usernames.js'

export interface Logins {
  /**
   * Resolves with the account of a username and its password. Undefined for an unknown username, an account
   * without a password, a wrong password (all take the same time), or a closed account.
   */
  authenticate(username: string, password: string): Promise<Account | undefined>
}

export function createLogins({
  db,
  accounts,
  passwords,
}: {
  readonly db: Database
  readonly accounts: Pick<Accounts, 'find'>
  readonly passwords: Pick<Passwords, 'isRight'>
}): Logins {
  return {
    authenticate: async (username, password) => {
      const login = USERNAME.test(username) ? await findLogin(db.read, username) : undefined
      const isRight = await passwords.isRight(password, login?.passwordHash)
      // A wrong password causes no more reads than an unknown username.
      const account = isRight && login !== undefined ? await accounts.find(login.sid) : undefined
      return account?.status === 'closed' ? undefined : account
    },
  }
}
