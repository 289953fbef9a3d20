import type { Clock } from '../platform/clock.js'
import { readOnce } from '../platform/database/compiled-once.js'
import type { Database, Reader } from '../platform/database/database.js'
import { listNewestFirst, type Page, type PageRequest } from '../platform/database/newest-first.js'
import type { Selectable } from '../platform/database/tables.js'
import { DomainError } from '../platform/errors.js'
import { newSid, parseSid } from '../platform/ids.js'
import { isSameDigest, newSecret, sha256Hex } from '../platform/secrets.js'
import type { AccountKeysTable } from './key-tables.js'

/**
 * An additional credential of an account, which can be revoked separately. Its secret is stored as a hash only.
 */
export interface AccountKey {
  readonly sid: string
  readonly accountSid: string
  readonly friendlyName: string
  readonly createdAt: number
  readonly updatedAt: number
}

export class KeyNotFoundError extends DomainError {
  override readonly name = 'KeyNotFoundError'
  readonly code = 'key-not-found'
}

export class TooManyKeysError extends DomainError {
  override readonly name = 'TooManyKeysError'
  readonly code = 'too-many-keys'
}

export interface AccountKeys {
  /** Creates a key and returns its secret, which cannot be read again. Rejects with TooManyKeysError. */
  create(
    accountSid: string,
    friendlyName: string,
  ): Promise<{ readonly key: AccountKey; readonly secret: string }>
  list(accountSid: string, page: PageRequest): Promise<Page<AccountKey>>
  /** Resolves with a key. Rejects with KeyNotFoundError, as `rename` and `remove` do. */
  fetch(accountSid: string, sid: string): Promise<AccountKey>
  rename(accountSid: string, sid: string, friendlyName: string): Promise<AccountKey>
  /** Deletes a key. Requests with it are refused once this resolves. */
  remove(accountSid: string, sid: string): Promise<void>
  removeAllOf(accountSid: string): Promise<void>
}

/** Maximum number of keys per account: enough for one per program, too few to fill a disk. */
const MAX_KEYS = 1_000
/** Digest to compare for an unknown key, so that it takes as long as a known one. */
const NO_DIGEST = '0'.repeat(64)

export function createAccountKeys({
  db,
  clock,
}: {
  readonly db: Database
  readonly clock: Clock
}): AccountKeys {
  const ofAccount = (accountSid: string) =>
    db.read.selectFrom('account_keys').selectAll().where('accountSid', '=', accountSid)
  const fetch: AccountKeys['fetch'] = async (accountSid, text) => {
    const sid = parseSid('SK', text)
    const row =
      sid === undefined
        ? undefined
        : await ofAccount(accountSid).where('sid', '=', sid).executeTakeFirst()
    if (row === undefined) throw new KeyNotFoundError(`there is no key ${text}`)
    return toKey(row)
  }
  return {
    create: async (accountSid, friendlyName) => {
      const now = clock.now()
      const key = { sid: newSid('SK'), accountSid, friendlyName, createdAt: now, updatedAt: now }
      const secret = newSecret()
      await insertKey(db, key, sha256Hex(secret))
      return { key, secret }
    },
    list: async (accountSid, page) => {
      const found = await listNewestFirst({ read: db.read, matching: ofAccount(accountSid) }, page)
      return { ...found, items: found.items.map(toKey) }
    },
    fetch,
    rename: async (accountSid, text, friendlyName) => {
      const { sid } = await fetch(accountSid, text)
      const now = clock.now()
      await db.write((tx) =>
        tx
          .updateTable('account_keys')
          .set({ friendlyName, updatedAt: now })
          .where('sid', '=', sid)
          .execute(),
      )
      return await fetch(accountSid, sid)
    },
    remove: async (accountSid, text) => {
      const { sid } = await fetch(accountSid, text)
      await db.write((tx) => tx.deleteFrom('account_keys').where('sid', '=', sid).execute())
    },
    removeAllOf: async (accountSid) => {
      await db.write((tx) =>
        tx.deleteFrom('account_keys').where('accountSid', '=', accountSid).execute(),
      )
    },
  }
}

/**
 * Resolves with the sid of the account that owns the key. Undefined for an unknown key or a wrong secret; both
 * take the same time.
 */
export async function findKeyOwner(
  read: Reader,
  keySid: string,
  secret: string,
): Promise<string | undefined> {
  const [row] = await readKey(read, { sid: parseSid('SK', keySid) ?? '' })
  const isRight = isSameDigest(sha256Hex(secret), row?.secretHash ?? NO_DIGEST)
  return isRight ? row?.accountSid : undefined
}

/** Reads a key on every use, uncached: a revoked key is refused at once, on every node. */
const readKey = readOnce<{ readonly sid: string }, OwnerRow>(['sid'], (db, { sid }) =>
  db.selectFrom('account_keys').select(['accountSid', 'secretHash']).where('sid', '=', sid),
)

type OwnerRow = Pick<Selectable<AccountKeysTable>, 'accountSid' | 'secretHash'>

async function insertKey(db: Database, key: AccountKey, secretHash: string): Promise<void> {
  const row = {
    sid: key.sid,
    accountSid: key.accountSid,
    friendlyName: key.friendlyName,
    secretHash,
    createdAt: key.createdAt,
    updatedAt: key.updatedAt,
  }
  await db.write(async (tx) => {
    const { count } = await tx
      .selectFrom('account_keys')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('accountSid', '=', key.accountSid)
      .executeTakeFirstOrThrow()
    if (count >= MAX_KEYS) throw new TooManyKeysError(`the account has ${MAX_KEYS} keys already`)
    await tx.insertInto('account_keys').values(row).execute()
  })
}

function toKey({ secretHash: _hash, ...key }: Selectable<AccountKeysTable>): AccountKey {
  return key
}
