import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import { type AccountSid, newSid, parseSid } from '../platform/ids.js'
import { isSameSecret, newSecret, sha256Hex, type Vault } from '../platform/secrets.js'

export interface Account {
  readonly sid: AccountSid
  readonly friendlyName: string
  readonly status: 'active' | 'suspended' | 'closed'
  /** 32 hex characters: Basic password, Bearer key and signing key in one. */
  readonly secret: string
  /** ISO country codes that numbers are checked against; none: numbers are not checked. */
  readonly phoneRegions: readonly string[]
  readonly createdAt: number
}

export interface NewAccount {
  readonly sid?: string
  readonly secret?: string
  readonly friendlyName: string
}

export interface Accounts {
  create(account: NewAccount): Promise<Account>
  find(sid: string): Promise<Account | undefined>
  /** Undefined for an unknown account as for a wrong secret, after the same work. */
  authenticate(sid: string, secret: string): Promise<Account | undefined>
  /** Whose Bearer key it is. */
  findBySecret(secret: string): Promise<Account | undefined>
  count(): Promise<number>
}

/** Compared against when the account does not exist, so that its absence costs the same. */
const NO_SECRET = '0'.repeat(32)

/** How long a found account may be answered from memory. */
const CACHE_MS = 2_000
const CACHE_ENTRIES = 1_000

export function createAccounts(deps: { db: Database; vault: Vault; clock: Clock }): Accounts {
  const { db, vault, clock } = deps
  const cache = new Map<string, { account: Account; until: number }>()

  const find = async (text: string): Promise<Account | undefined> => {
    const sid = parseSid('AC', text)
    if (sid === undefined) return undefined
    const cached = cache.get(sid)
    if (cached !== undefined && cached.until > clock.monotonic()) return cached.account
    const row = await db.read
      .selectFrom('accounts')
      .selectAll()
      .where('sid', '=', sid)
      .executeTakeFirst()
    if (row === undefined) return undefined
    const account: Account = {
      sid,
      friendlyName: row.friendly_name,
      status: row.status,
      secret: vault.open(row.secret_sealed),
      phoneRegions: JSON.parse(row.phone_regions) as string[],
      createdAt: row.created_at,
    }
    if (cache.size >= CACHE_ENTRIES) cache.clear()
    cache.set(sid, { account, until: clock.monotonic() + CACHE_MS })
    return account
  }

  return {
    find,
    create: (wanted) => createAccount(deps, wanted),
    authenticate: async (sid, secret) => {
      const account = await find(sid)
      const isRight = isSameSecret(secret, account?.secret ?? NO_SECRET)
      return isRight ? account : undefined
    },
    findBySecret: async (secret) => {
      // Found by its digest: what a prober learns from the time is about the digest.
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

async function createAccount(
  { db, vault, clock }: { db: Database; vault: Vault; clock: Clock },
  wanted: NewAccount,
): Promise<Account> {
  const sid = parseSid('AC', wanted.sid ?? '') ?? newSid('AC')
  const secret = wanted.secret ?? newSecret()
  const { friendlyName } = wanted
  const now = clock.now()
  const row = {
    sid,
    friendly_name: friendlyName,
    status: 'active' as const,
    secret_hash: sha256Hex(secret),
    secret_sealed: vault.seal(secret),
    phone_regions: '[]',
    created_at: now,
    updated_at: now,
  }
  await db.write((tx) => tx.insertInto('accounts').values(row).execute())
  return { sid, friendlyName, status: 'active', secret, phoneRegions: [], createdAt: now }
}
