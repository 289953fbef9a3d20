import type { Clock } from '../platform/clock.js'
import type { Database, Writer } from '../platform/database/database.js'
import { DomainError } from '../platform/errors.js'
import { type AccountSid, newSid, parseSid } from '../platform/ids.js'
import { newSecret, type Vault } from '../platform/secrets.js'
import type { AccountCache } from './account-cache.js'
import { withdrawLinks } from './account-links.js'
import { changedProfile, newProfile, type ProfileChange } from './account-profile.js'
import { AccountClosedError } from './account-status.js'
import {
  type Account,
  findAccount,
  insertAccount,
  saveAccount,
  savePasswordHash,
  saveSecret,
  saveStatus,
  UsernameTakenError,
} from './account-storage.js'
import { accountsPaidBy } from './billed-account.js'
import { changedSettings, NO_SETTINGS, type SettingsChange } from './settings.js'
import type { AccountStatus } from './tables.js'
import { newUsername } from './usernames.js'

export interface NewAccount {
  readonly sid?: string
  readonly secret?: string
  readonly friendlyName: string
  readonly phoneRegions?: readonly string[]
  readonly settings?: SettingsChange
  /** Ten digits; random ones by default. */
  readonly username?: string
  readonly profile?: ProfileChange
  /** The scrypt hash of the password; without it the account has no password yet. */
  readonly passwordHash?: string
  /** `active` by default. */
  readonly status?: AccountStatus
}

/** A change of an account: an absent field stays as it is. */
export interface AccountChange {
  readonly friendlyName?: string
  readonly phoneRegions?: readonly string[]
  readonly settings?: SettingsChange
  readonly profile?: ProfileChange
}

export interface Rotation {
  readonly account: Account
  /** Expiry of the former secret; undefined when it is no longer valid. */
  readonly formerUntil: number | undefined
}

/** The account pays for others that are open, so it is not closed. */
export class AccountPaysError extends DomainError {
  override readonly name = 'AccountPaysError'
  readonly code = 'account-pays'
}

/** Stores more in the transaction of a change. It may run again, as the work of a write may. */
export type Beside = (tx: Writer, account: Account) => Promise<void>

export interface AccountChanges {
  /**
   * Makes an account, and stores what goes with it. Rejects with UsernameTakenError when the wanted
   * username is taken.
   */
  create(account: NewAccount, beside?: Beside): Promise<Account>
  /**
   * Changes an account and resolves with the new one; undefined when the account is unknown. Rejects
   * with AccountClosedError, as every method that changes an account does.
   */
  update(sid: string, change: AccountChange): Promise<Account | undefined>
  /** Sets the status, if `beside` does not throw. To close an account again does nothing. */
  setStatus(sid: string, status: AccountStatus, beside?: Beside): Promise<Account | undefined>
  /** Makes an unverified account active, if `beside` does not throw; any other one stays as it is. */
  verify(sid: string, beside: Beside): Promise<Account | undefined>
  /**
   * Gives the account a new secret. The former one is valid for `overlapMs` more, and one that was
   * still valid from an earlier rotation no longer.
   */
  rotateSecret(sid: string, overlapMs: number): Promise<Rotation | undefined>
  /**
   * Gives the account a password, and a new secret in place of all that were valid; links in mails
   * about it end.
   */
  setPassword(sid: string, passwordHash: string, beside?: Beside): Promise<Account | undefined>
}

export interface AccountChangesDeps {
  readonly db: Database
  readonly vault: Vault
  readonly clock: Clock
  readonly cache: AccountCache
}

type Apply = (tx: Writer, sid: AccountSid, account: Account) => Promise<void>

export function createAccountChanges(deps: AccountChangesDeps): AccountChanges {
  const { vault, clock } = deps
  return {
    create: (wanted, beside) => createAccount(deps, wanted, beside),
    update: async (text, { settings, profile, ...rest }) => {
      const now = clock.now()
      return await change(deps, text, async (tx, sid, account) => {
        refuseClosed(account)
        const changed = {
          ...account,
          ...rest,
          settings: changedSettings(account.settings, settings ?? {}),
          profile: changedProfile(account.profile, profile ?? {}),
          updatedAt: now,
        }
        await saveAccount(tx, { ...changed, sid }, vault)
      })
    },
    setStatus: async (text, status, beside) => {
      const now = clock.now()
      return await change(deps, text, async (tx, sid, account) => {
        if (status === 'closed') await refusePaying(tx, account)
        else refuseClosed(account)
        await beside?.(tx, account)
        await saveStatus(tx, sid, status, now)
      })
    },
    verify: async (text, beside) => {
      const now = clock.now()
      return await change(deps, text, async (tx, sid, account) => {
        refuseClosed(account)
        await beside(tx, account)
        if (account.status === 'unverified') await saveStatus(tx, sid, 'active', now)
      })
    },
    rotateSecret: async (text, overlapMs) => {
      const now = clock.now()
      const formerUntil = overlapMs > 0 ? now + overlapMs : undefined
      const secret = newSecret()
      const account = await change(deps, text, async (tx, sid, before) => {
        refuseClosed(before)
        await saveSecret(tx, sid, { secret, formerUntil, now }, vault)
      })
      return account && { account, formerUntil }
    },
    setPassword: async (text, passwordHash, beside) => {
      const now = clock.now()
      const secret = newSecret()
      return await change(deps, text, async (tx, sid, account) => {
        refuseClosed(account)
        await beside?.(tx, account)
        await savePasswordHash(tx, sid, passwordHash)
        await saveSecret(tx, sid, { secret, formerUntil: undefined, now }, vault)
        await withdrawLinks(tx, sid, now)
      })
    },
  }
}

/** Runs a change in one transaction with the account that it finds there. */
async function change(
  { db, vault, cache }: AccountChangesDeps,
  text: string,
  apply: Apply,
): Promise<Account | undefined> {
  const sid = parseSid('AC', text)
  if (sid === undefined) return undefined
  const changed = await db.write(async (tx) => {
    const stored = await findAccount(tx, sid, vault)
    if (stored === undefined) return undefined
    await apply(tx, sid, stored.account)
    return (await findAccount(tx, sid, vault))?.account
  })
  cache.changed(sid)
  // Within one commit others may have read the account as it was before.
  db.whenDurable(() => {
    cache.changed(sid)
  })
  return changed
}

async function refusePaying(tx: Writer, { sid }: Account): Promise<void> {
  const paid = await accountsPaidBy(tx, sid)
  if (paid.length > 0)
    throw new AccountPaysError(`the account pays for others that are open: ${paid.join(', ')}`)
}

function refuseClosed({ sid, status }: Account): void {
  if (status === 'closed') throw new AccountClosedError(`the account ${sid} is closed`)
}

/** The number of random usernames that are tried: one in billions is taken. */
const MAX_NAMES = 5

async function createAccount(
  deps: AccountChangesDeps,
  wanted: NewAccount,
  beside: Beside | undefined,
): Promise<Account> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await insertNew(deps, wanted, wanted.username ?? newUsername(), beside)
    } catch (error) {
      const isOurs = error instanceof UsernameTakenError && wanted.username === undefined
      if (!isOurs || attempt === MAX_NAMES) throw error
    }
  }
}

async function insertNew(
  { db, vault, clock }: AccountChangesDeps,
  wanted: NewAccount,
  username: string,
  beside: Beside | undefined,
): Promise<Account> {
  const now = clock.now()
  const account: Account = {
    sid: parseSid('AC', wanted.sid ?? '') ?? newSid('AC'),
    friendlyName: wanted.friendlyName,
    status: wanted.status ?? 'active',
    secret: wanted.secret ?? newSecret(),
    phoneRegions: wanted.phoneRegions ?? [],
    settings: changedSettings(NO_SETTINGS, wanted.settings ?? {}),
    profile: newProfile(username, wanted.profile ?? {}),
    createdAt: now,
    updatedAt: now,
  }
  await db.write(async (tx) => {
    await insertAccount(tx, account, { passwordHash: wanted.passwordHash }, vault)
    await beside?.(tx, account)
  })
  return account
}
