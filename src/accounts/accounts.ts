import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import type { Page, PageRequest } from '../platform/database/newest-first.js'
import { parseSid } from '../platform/ids.js'
import { isSameDigest, sha256Hex, type Vault } from '../platform/secrets.js'
import { AccountCache } from './account-cache.js'
import { type AccountChanges, createAccountChanges } from './account-changes.js'
import { findKeyOwner } from './account-keys.js'
import {
  type Account,
  type AccountFilter,
  findAccount,
  findLogin,
  findSidBySecret,
  findSidsByEmail,
  listAccounts,
  type StoredAccount,
} from './account-storage.js'

export { type AccountChange, AccountPaysError, type NewAccount } from './account-changes.js'
export { AccountClosedError } from './account-status.js'
export { type Account, type AccountFilter, UsernameTakenError } from './account-storage.js'

/** An authenticated account, and the API key if one was used instead of the account's own secret. */
export interface Authenticated {
  readonly account: Account
  readonly keySid: string | undefined
}

export interface Accounts extends AccountChanges {
  find(sid: string): Promise<Account | undefined>
  /** Finds an account by username; closed accounts keep theirs. */
  findByUsername(username: string): Promise<Account | undefined>
  /** Finds the accounts of a mail address, oldest first; at most `limit`. */
  findByEmail(email: string, limit: number): Promise<readonly Account[]>
  /** Lists the accounts, newest first. */
  list(filter: AccountFilter, page: PageRequest): Promise<Page<Account>>
  /**
   * Resolves with the account of these credentials: its own sid and secret, or those of one of its keys.
   * Undefined for an unknown sid, a wrong secret (both take the same time) or a closed account.
   */
  authenticate(sid: string, secret: string): Promise<Authenticated | undefined>
  /** Resolves with the account whose secret is this Bearer key; undefined when there is none. */
  findBySecret(secret: string): Promise<Account | undefined>
  count(): Promise<number>
}

/** Digest to compare for an unknown account, so that it takes as long as a known one. */
const NO_SECRET_DIGEST = sha256Hex('0'.repeat(32))

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
    findByUsername: async (username) => {
      const login = await findLogin(db.read, username)
      return login && (await find(login.sid))
    },
    findByEmail: async (email, limit) => {
      const found: Account[] = []
      for (const sid of await findSidsByEmail(db.read, email, limit)) {
        const account = await find(sid)
        if (account !== undefined) found.push(account)
      }
      return found
    },
    list: (filter, page) => listAccounts(db.read, filter, page, vault),
    ...createAccountChanges({ ...deps, cache }),
    authenticate: async (sid, secret) => {
      const known = sid.startsWith('SK')
        ? await byKey(sid, secret, db, find)
        : byOwnSecret(await findStored(sid), secret, clock.now())
      return known?.account.status === 'closed' ? undefined : known
    },
    findBySecret: async (secret) => {
      // Looked up by digest: the timing of the query reveals nothing about the secret itself.
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

/** Always compares the secret with both digests, so that the timing does not reveal which exist. */
function byOwnSecret(
  stored: StoredAccount | undefined,
  secret: string,
  now: number,
): Authenticated | undefined {
  const given = sha256Hex(secret)
  const isCurrent = isSameDigest(given, stored?.secretDigest ?? NO_SECRET_DIGEST)
  const former = stored?.former
  const isFormer = isSameDigest(given, former?.digest ?? NO_SECRET_DIGEST)
  const isRight = isCurrent || (isFormer && former !== undefined && former.until > now)
  return isRight && stored !== undefined
    ? { account: stored.account, keySid: undefined }
    : undefined
}
