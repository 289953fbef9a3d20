import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import { startRetention } from '../platform/database/retention.js'
import { DomainError } from '../platform/errors.js'
import type { Logger } from '../platform/log.js'
import type { ChannelOutbox } from '../platform/outbox/outbox.js'
import { findLink, removeOldLinks, useLink } from './account-links.js'
import type { AccountMail } from './account-mails.js'
import { removeOldSignUps } from './account-storage.js'
import type { Account, Accounts } from './accounts.js'

/** The link is used, expired or unknown. */
export class DeadLinkError extends DomainError {
  override readonly name = 'DeadLinkError'
  readonly code = 'dead-link'
}

/** The address is at a disposable mail service. */
export class DisposableMailError extends DomainError {
  override readonly name = 'DisposableMailError'
  readonly code = 'disposable-mail'
}

export interface SignUp {
  readonly name: string
  readonly email: string
  readonly promo?: string | undefined
  readonly passwordHash: string
}

export interface SignUps {
  /**
   * Creates an account that is disabled until its address is confirmed, and sends the confirmation mail; same
   * behaviour for an address with other accounts. Rejects with DisposableMailError.
   */
  signUp(signUp: SignUp): Promise<Account>
  /** Resolves with the account of a link. Rejects with DeadLinkError, as `verify` does. */
  open(token: string): Promise<Account>
  /** Uses a link: activates the account. */
  verify(token: string): Promise<Account>
  /** Removes old links and unconfirmed sign-ups, until disposed. */
  startRetention(): AsyncDisposable
}

export interface SignUpDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly accounts: Accounts
  readonly mails: ChannelOutbox<AccountMail>
  readonly isDisposable: (address: string) => boolean
}

const DAY_MS = 24 * 3_600_000
/** Lifetime of an unconfirmed sign-up, ms. */
const SIGN_UP_LIFE_MS = 7 * DAY_MS
const REMOVED_AT_ONCE = 500

export function createSignUps(deps: SignUpDeps): SignUps {
  const { db, clock, log, accounts, mails } = deps
  const open: SignUps['open'] = async (token) => {
    const sid = await findLink(db.read, token, 'verify', clock.now())
    const account = sid === undefined ? undefined : await accounts.find(sid)
    if (account?.status !== 'unverified') throw new DeadLinkError('the link does not work any more')
    return account
  }
  return {
    open,
    signUp: async ({ name, email, promo, passwordHash }) => {
      if (deps.isDisposable(email))
        throw new DisposableMailError(`${email} is at a disposable mail service`)
      const made = await accounts.create(
        {
          friendlyName: name,
          passwordHash,
          status: 'unverified',
          profile: { email, promo },
        },
        (tx, { sid }) => mails.enqueue(tx, [{ kind: 'verification', accountSid: sid }]),
      )
      db.whenDurable(() => {
        mails.wake()
      })
      return made
    },
    verify: async (token) => {
      const { sid } = await open(token)
      const now = clock.now()
      const account = await accounts.verify(sid, async (tx) => {
        if (!(await useLink(tx, token, 'verify', now)))
          throw new DeadLinkError('the link does not work any more')
      })
      if (account === undefined) throw new DeadLinkError('the account is gone')
      return account
    },
    startRetention: () =>
      startRetention({
        name: 'old links and sign-ups',
        log,
        removeSome: () => {
          const now = clock.now()
          return db.write(async (tx) => {
            const isMore = await removeOldLinks(tx, now - DAY_MS, REMOVED_AT_ONCE)
            const old = await removeOldSignUps(tx, now - SIGN_UP_LIFE_MS, now, REMOVED_AT_ONCE)
            return isMore || old
          })
        },
      }),
  }
}
