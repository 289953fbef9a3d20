import type { Clock } from '../platform/clock.js'
import type { Database, Writer } from '../platform/database/database.js'
import type { Page, PageRequest } from '../platform/database/newest-first.js'
import { DomainError } from '../platform/errors.js'
import { type AccountSid, newSid, parseSid } from '../platform/ids.js'
import { isSameSecret, newSecret, sha256Hex, type Vault } from '../platform/secrets.js'
import { AccountCache } from './account-cache.js'
import { findKeyOwner } from './account-keys.js'
import {
  type Account,
  type AccountFilter,
  findAccount,
  findSidBySecret,
  insertAccount,
  listAccounts,
  type StoredAccount,
  saveAccount,
  saveSecret,
  saveStatus,
} from './account-storage.js'
import { changedSettings, NO_SETTINGS, type SettingsChange } from './settings.js'
import type { AccountStatus } from './tables.js'

export type { Account, AccountFilter } from './account-storage.js'

export interface NewAccount {
  readonly sid?: string
  readonly secret?: string
  readonly friendlyName: string
  readonly phoneRegions?: readonly string[]
  readonly settings?: SettingsChange
}

/** A change of an account: an absent field stays as it is. */
export interface AccountChange {
  readonly friendlyName?: string
  readonly phoneRegions?: readonly string[]
  readonly settings?: SettingsChange
}

/** An account whose credentials were right, and the key that was used in place of its own secret. */
export interface Authenticated {
  readonly account: Account
  readonly keySid: string | undefined
}

export interface Rotation {
  readonly account: Account
  /** The time until which the former secret is valid too; undefined when it is not any more. */
  readonly formerUntil: number | undefined
}

/** The account was closed, which is final. */
export class AccountClosedError extends DomainError {
  override readonly name = 'AccountClosedError'
  readonly code = 'account-closed'
}

export interface Accounts {
  create(account: NewAccount): Promise<Account>
  find(sid: string): Promise<Account | undefined>
  /** Lists the accounts, the newest first. */
  list(filter: AccountFilter, page: PageRequest): Promise<Page<Account>>
  /**
   * Changes an account and resolves with the new one; undefined when the account is unknown. Rejects
   * with AccountClosedError, as every method that changes an account does.
   */
  update(sid: string, change: AccountChange): Promise<Account | undefined>
  /** Sets the status. To close an account again does nothing. */
  setStatus(sid: string, status: AccountStatus): Promise<Account | undefined>
  /**
   * Gives the account a new secret. The former one is valid for `overlapMs` more, and one that was
   * still valid from an earlier rotation no longer.
   */
  rotateSecret(sid: string, overlapMs: number): Promise<Rotation | undefined>
  /**
   * Resolves with the account of these credentials: its sid and its secret, or the sid of one of its
   * keys and the secret of that key. An unknown sid and a wrong secret cost the same time and give
   * undefined, as does a closed account.
   */
  authenticate(sid: string, secret: string): Promise<Authenticated | undefined>
  /** Resolves with the account whose secret is this Bearer key; undefined when there is none. */
  findBySecret(secret: string): Promise<Account | undefined>
  count(): Promise<number>
}

/**
 * The secret that is compared when the account does not exist, so that both cases cost the same.
 */
const NO_SECRET = '0'.repeat(32)
const NO_SECRET_HASH = sha256Hex(NO_SECRET)

interface AccountsDeps {
  readonly db: Database
  readonly vault: Vault
  readonly clock: Clock
}

export function createAccounts(deps: AccountsDeps): Accounts {
  const { db, vault, clock } = deps
  const cache = new AccountCache(clock)
  const findStored = async (text: string): Promise<StoredAccount | undefined> => {
    const sid = parseSid('AC', text)
    return sid && (await cache.find(sid, () => findAccount(db.read, sid, vault)))
  }
  const find: Accounts['find'] = async (sid) => (await findStored(sid))?.account

  return {
    find,
    create: (wanted) => createAccount(deps, wanted),
    list: (filter, page) => listAccounts(db.read, filter, page, vault),
    ...changesOf(deps, cache),
    authenticate: async (sid, secret) => {
      const known = sid.startsWith('SK')
        ? await byKey(sid, secret, db, find)
        : byOwnSecret(await findStored(sid), secret, clock.now())
      return known?.account.status === 'closed' ? undefined : known
    },
    findBySecret: async (secret) => {
      // The secret is found by its digest: the time of a look-up tells a prober about the digest
      // only.
      const sid = await findSidBySecret(db.read, sha256Hex(secret), clock.now())
      return sid === undefined ? undefined : find(sid)
    },
    count: async () => {
      const row = await db.read
        .selectFrom('accounts')
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return row.count
    },
  }
}

async function byKey(
  keySid: string,
  secret: string,
  db: Database,
  find: Accounts['find'],
): Promise<Authenticated | undefined> {
  const owner = await findKeyOwner(db.read, keySid, secret)
  const account = owner === undefined ? undefined : await find(owner)
  return account && { account, keySid }
}

/** Compares the secret with both that the account may have, whatever it has. */
function byOwnSecret(
  stored: StoredAccount | undefined,
  secret: string,
  now: number,
): Authenticated | undefined {
  const isCurrent = isSameSecret(secret, stored?.account.secret ?? NO_SECRET)
  const former = stored?.former
  const isFormer = isSameSecret(sha256Hex(secret), former?.hash ?? NO_SECRET_HASH)
  const isRight = isCurrent || (isFormer && former !== undefined && former.until > now)
  return isRight && stored !== undefined
    ? { account: stored.account, keySid: undefined }
    : undefined
}

function changesOf(
  { db, vault, clock }: AccountsDeps,
  cache: AccountCache,
): Pick<Accounts, 'update' | 'setStatus' | 'rotateSecret'> {
  /** Runs a change in one transaction with the account that it finds there. */
  const change = async (
    text: string,
    apply: (tx: Writer, sid: AccountSid, account: Account) => Promise<void>,
  ): Promise<Account | undefined> => {
    const sid = parseSid('AC', text)
    if (sid === undefined) return undefined
    const changed = await db.write(async (tx) => {
      const stored = await findAccount(tx, sid, vault)
      if (stored === undefined) return undefined
      await apply(tx, sid, stored.account)
      return (await findAccount(tx, sid, vault))?.account
    })
    cache.changed(sid)
    return changed
  }
  return {
    update: async (text, { settings, ...rest }) => {
      const now = clock.now()
      return await change(text, async (tx, sid, account) => {
        refuseClosed(account)
        const changed = {
          ...account,
          ...rest,
          settings: changedSettings(account.settings, settings ?? {}),
          updatedAt: now,
        }
        await saveAccount(tx, { ...changed, sid }, vault)
      })
    },
    setStatus: async (text, status) => {
      const now = clock.now()
      return await change(text, async (tx, sid, account) => {
        if (status !== 'closed') refuseClosed(account)
        await saveStatus(tx, sid, status, now)
      })
    },
    rotateSecret: async (text, overlapMs) => {
      const now = clock.now()
      const formerUntil = overlapMs > 0 ? now + overlapMs : undefined
      const secret = newSecret()
      const account = await change(text, async (tx, sid, before) => {
        refuseClosed(before)
        await saveSecret(tx, sid, { secret, formerUntil, now }, vault)
      })
      return account && { account, formerUntil }
    },
  }
}

function refuseClosed({ sid, status }: Account): void {
  if (status === 'closed') throw new AccountClosedError(`the account ${sid} is closed`)
}

async function createAccount(
  { db, vault, clock }: AccountsDeps,
  wanted: NewAccount,
): Promise<Account> {
  const now = clock.now()
  const account: Account = {
    sid: parseSid('AC', wanted.sid ?? '') ?? newSid('AC'),
    friendlyName: wanted.friendlyName,
    status: 'active',
    secret: wanted.secret ?? newSecret(),
    phoneRegions: wanted.phoneRegions ?? [],
    settings: changedSettings(NO_SETTINGS, wanted.settings ?? {}),
    createdAt: now,
    updatedAt: now,
  }
  await db.write((tx) => insertAccount(tx, account, vault))
  return account
}
