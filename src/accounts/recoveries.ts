import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import type { ChannelOutbox } from '../platform/outbox/outbox.js'
import { findLink, useLink } from './account-links.js'
import type { AccountMail } from './account-mails.js'
import type { Account, Accounts } from './accounts.js'
import type { Passwords } from './passwords.js'
import { DeadLinkError } from './sign-ups.js'

export interface Recoveries {
  /**
   * Requests a link by mail. The account is looked up when the mail is composed, so neither the answer nor its
   * timing reveals whether the address has one.
   */
  request(email: string): Promise<void>
  /** Resolves with the account of a link. Rejects with DeadLinkError, as `setPassword` does. */
  open(token: string): Promise<Account>
  /** Uses a link: sets the password and a new secret, and invalidates all other links of the account. */
  setPassword(token: string, password: string): Promise<Account>
}

export interface RecoveryDeps {
  readonly db: Database
  readonly clock: Clock
  readonly accounts: Accounts
  readonly passwords: Passwords
  readonly mails: ChannelOutbox<AccountMail>
}

export function createRecoveries(deps: RecoveryDeps): Recoveries {
  const { db, clock, accounts, passwords, mails } = deps
  const open: Recoveries['open'] = async (token) => {
    const sid = await findLink(db.read, token, 'recover', clock.now())
    const account = sid === undefined ? undefined : await accounts.find(sid)
    if (account === undefined || account.status === 'closed')
      throw new DeadLinkError('the link does not work any more')
    return account
  }
  return {
    open,
    request: async (email) => {
      await db.write((tx) => mails.enqueue(tx, [{ kind: 'recovery', email }]))
      db.whenDurable(() => {
        mails.wake()
      })
    },
    setPassword: async (token, password) => {
      const { sid } = await open(token)
      const hash = await passwords.hash(password)
      const now = clock.now()
      const account = await accounts.setPassword(sid, hash, async (tx) => {
        if (!(await useLink(tx, token, 'recover', now)))
          throw new DeadLinkError('the link does not work any more')
        await mails.enqueue(tx, [{ kind: 'password-changed', accountSid: sid }])
      })
      if (account === undefined) throw new DeadLinkError('the account is gone')
      mails.wake()
      return account
    },
  }
}
