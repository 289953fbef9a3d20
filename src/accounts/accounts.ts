import type { Clock } from '../platform/clock.js'
import type { Database, Reader, Writer } from '../platform/database/database.js'
import type { Selectable } from '../platform/database/tables.js'
import { type AccountSid, newSid, parseSid } from '../platform/ids.js'
import { isSameSecret, newSecret, sha256Hex, type Vault } from '../platform/secrets.js'
import {
  type AccountSettings,
  changedSettings,
  NO_SETTINGS,
  readSettings,
  type SettingsChange,
  writeSettings,
} from './settings.js'
import type { AccountsTable } from './tables.js'

export interface Account {
  readonly sid: AccountSid
  readonly friendlyName: string
  readonly status: 'active' | 'suspended' | 'closed'
  /** The secret: 32 hex characters. It serves as Basic password, Bearer key and signing key. */
  readonly secret: string
  /** The ISO country codes that numbers are checked against; an empty list turns the check off. */
  readonly phoneRegions: readonly string[]
  readonly settings: AccountSettings
  readonly createdAt: number
  readonly updatedAt: number
}

export interface NewAccount {
  readonly sid?: string
  readonly secret?: string
  readonly friendlyName: string
}

/** A change of an account: an absent field stays as it is. */
export interface AccountChange {
  readonly friendlyName?: string
  readonly phoneRegions?: readonly string[]
  readonly settings?: SettingsChange
}

export interface Accounts {
  create(account: NewAccount): Promise<Account>
  find(sid: string): Promise<Account | undefined>
  /** Changes an account and resolves with the new one; undefined when the account is unknown. */
  update(sid: string, change: AccountChange): Promise<Account | undefined>
  /**
   * Resolves with the account of these credentials. An unknown sid and a wrong secret cost the same
   * time and give undefined.
   */
  authenticate(sid: string, secret: string): Promise<Account | undefined>
  /** Resolves with the account whose secret is this Bearer key; undefined when there is none. */
  findBySecret(secret: string): Promise<Account | undefined>
  count(): Promise<number>
}

/**
 * The secret that is compared when the account does not exist, so that both cases cost the same.
 */
const NO_SECRET = '0'.repeat(32)

/** The time for which an account is answered from memory. */
const CACHE_MS = 2_000
const CACHE_ENTRIES = 1_000

interface AccountsDeps {
  readonly db: Database
  readonly vault: Vault
  readonly clock: Clock
}

export function createAccounts(deps: AccountsDeps): Accounts {
  const { db, vault, clock } = deps
  const cache = new Map<string, { account: Account; until: number }>()

  const find = async (text: string): Promise<Account | undefined> => {
    const sid = parseSid('AC', text)
    if (sid === undefined) return undefined
    const cached = cache.get(sid)
    if (cached !== undefined && cached.until > clock.monotonic()) return cached.account
    const account = await findAccount(db.read, sid, vault)
    if (account === undefined) return undefined
    if (cache.size >= CACHE_ENTRIES) cache.clear()
    cache.set(sid, { account, until: clock.monotonic() + CACHE_MS })
    return account
  }

  return {
    find,
    create: (wanted) => createAccount(deps, wanted),
    update: async (text, change) => {
      const sid = parseSid('AC', text)
      if (sid === undefined) return undefined
      const account = await db.write((tx) => changeAccount(tx, sid, change, deps))
      cache.delete(sid)
      return account
    },
    authenticate: async (sid, secret) => {
      const account = await find(sid)
      const isRight = isSameSecret(secret, account?.secret ?? NO_SECRET)
      return isRight ? account : undefined
    },
    findBySecret: async (secret) => {
      // The secret is found by its digest: the time of a look-up tells a prober about the digest
      // only.
      const row = await db.read
        .selectFrom('accounts')
        .select('sid')
        .where('secret_hash', '=', sha256Hex(secret))
        .executeTakeFirst()
      return row === undefined ? undefined : find(row.sid)
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

async function findAccount(
  read: Reader,
  sid: AccountSid,
  vault: Vault,
): Promise<Account | undefined> {
  const row = await read
    .selectFrom('accounts')
    .selectAll()
    .where('sid', '=', sid)
    .executeTakeFirst()
  return row === undefined ? undefined : toAccount(sid, row, vault)
}

function toAccount(sid: AccountSid, row: Selectable<AccountsTable>, vault: Vault): Account {
  return {
    sid,
    friendlyName: row.friendly_name,
    status: row.status,
    secret: vault.open(row.secret_sealed),
    phoneRegions: JSON.parse(row.phone_regions) as string[],
    settings: readSettings(row.settings, (sealed) => vault.open(sealed)),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
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
    phoneRegions: [],
    settings: NO_SETTINGS,
    createdAt: now,
    updatedAt: now,
  }
  const row = {
    sid: account.sid,
    friendly_name: account.friendlyName,
    status: account.status,
    secret_hash: sha256Hex(account.secret),
    secret_sealed: vault.seal(account.secret),
    phone_regions: '[]',
    created_at: now,
    updated_at: now,
  }
  await db.write((tx) => tx.insertInto('accounts').values(row).execute())
  return account
}

async function changeAccount(
  tx: Writer,
  sid: AccountSid,
  change: AccountChange,
  { vault, clock }: AccountsDeps,
): Promise<Account | undefined> {
  const account = await findAccount(tx, sid, vault)
  if (account === undefined) return undefined
  const { settings, ...rest } = change
  const changed: Account = {
    ...account,
    ...rest,
    settings: changedSettings(account.settings, settings ?? {}),
    updatedAt: clock.now(),
  }
  await tx
    .updateTable('accounts')
    .set({
      friendly_name: changed.friendlyName,
      phone_regions: JSON.stringify(changed.phoneRegions),
      settings: writeSettings(changed.settings, (secret) => vault.seal(secret)),
      updated_at: changed.updatedAt,
    })
    .where('sid', '=', sid)
    .execute()
  return changed
}
