/** Storage of accounts. */
import type { Reader, Writer } from '../platform/database/database.js'
import { listNewestFirst, type Page, type PageRequest } from '../platform/database/newest-first.js'
import type { Selectable } from '../platform/database/tables.js'
import { DomainError } from '../platform/errors.js'
import type { AccountSid } from '../platform/ids.js'
import { sha256Hex, type Vault } from '../platform/secrets.js'
import {
  type AccountProfile,
  foldedEmail,
  profileColumns,
  readServices,
  type ServiceFlags,
  toProfile,
} from './account-profile.js'
import { type AccountSettings, readSettings, writeSettings } from './settings.js'
import type { AccountStatus, AccountsTable } from './tables.js'

export interface Account {
  readonly sid: AccountSid
  readonly friendlyName: string
  readonly status: AccountStatus
  /** The secret: 32 hex characters, used as Basic password, Bearer key and signing key. */
  readonly secret: string
  /** ISO country codes that numbers are validated against; empty: no validation. */
  readonly phoneRegions: readonly string[]
  readonly settings: AccountSettings
  readonly profile: AccountProfile
  readonly createdAt: number
  readonly updatedAt: number
}

/** The username belongs to another account. */
export class UsernameTakenError extends DomainError {
  override readonly name = 'UsernameTakenError'
  readonly code = 'username-taken'
}

/** The secret before the last rotation, valid until a time in epoch milliseconds. */
export interface FormerSecret {
  /** SHA-256 of the secret. */
  readonly digest: string
  readonly until: number
}

export interface StoredAccount {
  readonly account: Account
  /** SHA-256 of the account's secret. */
  readonly secretDigest: string
  readonly former: FormerSecret | undefined
}

export interface AccountFilter {
  readonly status?: AccountStatus | undefined
}

type OpenSealed = Pick<Vault, 'open'>

export async function findAccount(
  read: Reader,
  sid: AccountSid,
  vault: OpenSealed,
): Promise<StoredAccount | undefined> {
  const row = await read
    .selectFrom('accounts')
    .selectAll()
    .where('sid', '=', sid)
    .executeTakeFirst()
  return (
    row && {
      account: toAccount(row, vault),
      secretDigest: row.secretHash,
      former: formerOf(row),
    }
  )
}

/** Finds the account with a secret that is valid at `now`; a closed account has none. */
export async function findSidBySecret(
  read: Reader,
  secretHash: string,
  now: number,
): Promise<string | undefined> {
  const row = await read
    .selectFrom('accounts')
    .select('sid')
    .where('status', '<>', 'closed')
    .where((where) =>
      where.or([
        where('secretHash', '=', secretHash),
        where.and([
          where('formerSecretHash', '=', secretHash),
          where('formerSecretUntil', '>', now),
        ]),
      ]),
    )
    .executeTakeFirst()
  return row?.sid
}

export async function listAccounts(
  read: Reader,
  { status }: AccountFilter,
  request: PageRequest,
  vault: OpenSealed,
): Promise<Page<Account>> {
  const all = read.selectFrom('accounts').selectAll()
  const matching = status === undefined ? all : all.where('status', '=', status)
  const page = await listNewestFirst({ read, matching }, request)
  return { ...page, items: page.items.map((row) => toAccount(row, vault)) }
}

/** Credentials of a new account, stored in columns of their own. */
export interface NewCredentials {
  readonly passwordHash: string | undefined
}

/** Stores a new account. Rejects with UsernameTakenError. */
export async function insertAccount(
  tx: Writer,
  account: Account,
  { passwordHash }: NewCredentials,
  vault: Vault,
): Promise<void> {
  const row = {
    ...profileColumns(account.profile),
    passwordHash: passwordHash ?? null,
    sipPasswordSealed: null,
    sid: account.sid,
    friendlyName: account.friendlyName,
    status: account.status,
    secretHash: sha256Hex(account.secret),
    secretSealed: vault.seal(account.secret),
    phoneRegions: JSON.stringify(account.phoneRegions),
    settings: writeSettings(account.settings, (secret) => vault.seal(secret)),
    createdAt: account.createdAt,
    updatedAt: account.updatedAt,
  }
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('accounts')
    .values(row)
    .onConflict((taken) => taken.column('username').doNothing())
    .executeTakeFirst()
  if (Number(numInsertedOrUpdatedRows) === 0)
    throw new UsernameTakenError(`the username ${account.profile.username} is taken`)
}

/** Stores the name, regions, settings and profile of an account. */
export async function saveAccount(tx: Writer, account: Account, vault: Vault): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({
      ...profileColumns(account.profile),
      friendlyName: account.friendlyName,
      phoneRegions: JSON.stringify(account.phoneRegions),
      settings: writeSettings(account.settings, (secret) => vault.seal(secret)),
      updatedAt: account.updatedAt,
    })
    .where('sid', '=', account.sid)
    .execute()
}

/** Stores a status; a closed account stays closed. */
export async function saveStatus(
  tx: Writer,
  sid: AccountSid,
  status: AccountStatus,
  now: number,
): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ status, updatedAt: now })
    .where('sid', '=', sid)
    .where('status', 'not in', ['closed', status])
    .execute()
}

/** Stores a new secret. The current one stays valid until `formerUntil`, if given. */
export async function saveSecret(
  tx: Writer,
  sid: AccountSid,
  rotation: {
    readonly secret: string
    readonly formerUntil: number | undefined
    readonly now: number
  },
  vault: Vault,
): Promise<void> {
  const { secret, formerUntil, now } = rotation
  await tx
    .updateTable('accounts')
    .set((set) => ({
      formerSecretHash: formerUntil === undefined ? null : set.ref('secretHash'),
      formerSecretUntil: formerUntil ?? null,
      secretHash: sha256Hex(secret),
      secretSealed: vault.seal(secret),
      updatedAt: now,
    }))
    .where('sid', '=', sid)
    .execute()
}

/** Finds the account with a username, and its password hash. */
export async function findLogin(
  read: Reader,
  username: string,
): Promise<{ readonly sid: string; readonly passwordHash: string | undefined } | undefined> {
  const row = await read
    .selectFrom('accounts')
    .select(['sid', 'passwordHash'])
    .where('username', '=', username)
    .executeTakeFirst()
  return row && { sid: row.sid, passwordHash: row.passwordHash ?? undefined }
}

/** Finds the accounts of a mail address that are not closed, oldest first. */
export async function findSidsByEmail(
  read: Reader,
  email: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await read
    .selectFrom('accounts')
    .select('sid')
    .where('emailFolded', '=', foldedEmail(email))
    .where('status', '<>', 'closed')
    .orderBy('createdAt')
    .orderBy('sid')
    .limit(limit)
    .execute()
  return rows.map(({ sid }) => sid)
}

/**
 * Closes up to `limit` unconfirmed sign-ups from before a time and deletes their addresses. True when more may
 * remain.
 */
export async function removeOldSignUps(
  tx: Writer,
  before: number,
  now: number,
  limit: number,
): Promise<boolean> {
  const old = await tx
    .selectFrom('accounts')
    .select('sid')
    .where('status', '=', 'unverified')
    .where('createdAt', '<', before)
    .orderBy('createdAt')
    .limit(limit)
    .execute()
  const sids = old.map(({ sid }) => sid)
  if (sids.length > 0)
    await tx
      .updateTable('accounts')
      .set({
        status: 'closed',
        email: null,
        emailFolded: null,
        passwordHash: null,
        updatedAt: now,
      })
      .where('sid', 'in', sids)
      .execute()
  return old.length === limit
}

export async function savePasswordHash(
  tx: Writer,
  sid: AccountSid,
  passwordHash: string,
): Promise<void> {
  await tx.updateTable('accounts').set({ passwordHash }).where('sid', '=', sid).execute()
}

function formerOf(row: Selectable<AccountsTable>): FormerSecret | undefined {
  const { formerSecretHash: hash, formerSecretUntil: until } = row
  return hash === null || until === null ? undefined : { digest: hash, until }
}

function toAccount(row: Selectable<AccountsTable>, vault: OpenSealed): Account {
  return {
    sid: row.sid as AccountSid, // only `insertAccount` creates rows
    friendlyName: row.friendlyName,
    status: row.status,
    secret: vault.open(row.secretSealed),
    phoneRegions: JSON.parse(row.phoneRegions) as string[],
    settings: readSettings(row.settings, (sealed) => vault.open(sealed)),
    profile: toProfile(row),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

/** The enabled services of an account; none for an unknown account. */
export async function servicesOf(read: Reader, accountSid: string): Promise<ServiceFlags> {
  const row = await read
    .selectFrom('accounts')
    .select('services')
    .where('sid', '=', accountSid)
    .executeTakeFirst()
  return readServices(row?.services ?? '{}')
}

/** Low-balance threshold of an account, dollars; undefined when notifications are off. */
export async function lowBalanceThreshold(
  read: Reader,
  accountSid: string,
): Promise<number | undefined> {
  const row = await read
    .selectFrom('accounts')
    .select(['notify', 'notifyThreshold'])
    .where('sid', '=', accountSid)
    .executeTakeFirst()
  return row?.notify === 1 ? row.notifyThreshold : undefined
}
