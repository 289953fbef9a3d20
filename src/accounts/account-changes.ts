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
  /** Ten digits; random by default. */
  readonly username?: string
  readonly profile?: ProfileChange
  /** Scrypt hash of the password; undefined for an account without a password. */
  readonly passwordHash?: string
  /** `active` by default. */
  readonly status?: AccountStatus
}

/** A change of an account; absent fields keep their value. */
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

/** The account pays for other open accounts, so it cannot be closed. */
export class AccountPaysError extends DomainError {
  override readonly name = 'AccountPaysError'
  readonly code = 'account-pays'
}

/** Further writes in the transaction of a change. The work of a write may be retried, so this may run again. */
export type Beside = (tx: Writer, account: Account) => Promise<void>

export interface AccountChanges {
  /** Creates an account, and runs `beside` in the same transaction. Rejects with UsernameTakenError. */
  create(account: NewAccount, beside?: Beside): Promise<Account>
  /**
   * Changes an account and resolves with the result; undefined for an unknown account. Rejects with
   * AccountClosedError, as all methods that change an account do.
   */
  update(sid: string, change: AccountChange): Promise<Account | undefined>
  /** Sets the status, unless `beside` throws. Closing a closed account does nothing. */
  setStatus(sid: string, status: AccountStatus, beside?: Beside): Promise<Account | undefined>
  /** Activates an unverified account, unless `beside` throws; other accounts are unchanged. */
  verify(sid: string, beside: Beside): Promise<Account | undefined>
  /** Generates a new secret. The current one stays valid for `overlapMs`; older ones are revoked. */
  rotateSecret(sid: string, overlapMs: number): Promise<Rotation | undefined>
  /** Sets the password, generates a new secret, revokes all former secrets and invalidates mailed links. */
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

/** Runs `apply` in one transaction with the stored account, and resolves with the changed one. */
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
  // Within the commit, others may have cached the old account.
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

/** Maximum number of random usernames to try; a collision is about one in billions. */
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
