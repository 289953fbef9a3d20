/** What requests with an `Idempotency-Key` led to, for 24 hours. */
import type { Writer } from '../database/database.js'

/** A key is remembered this long; after it the same key is a new request. */
export const KEY_LIFE_MS = 24 * 3_600_000

export interface RequestKey {
  /** The account, or CSP, whose key it is. */
  readonly caller: string
  readonly key: string
}

export interface KeptRequest {
  /** A digest of the request; empty where the key alone says which request it is. */
  readonly request: string
  readonly status: number
  /** The body of the answer, or the sid of the resource that was made. */
  readonly outcome: string
}

/** Undefined for a key that was not used within its life. */
export async function findKept(
  tx: Writer,
  { caller, key }: RequestKey,
  now: number,
): Promise<KeptRequest | undefined> {
  return await tx
    .selectFrom('idempotent_requests')
    .select(['request', 'status', 'outcome'])
    .where('caller', '=', caller)
    .where('key', '=', key)
    .where('created_at', '>', now - KEY_LIFE_MS)
    .executeTakeFirst()
}

/** Keeps what the request led to, in the transaction that stores what it did. */
export async function keepRequest(
  tx: Writer,
  { caller, key }: RequestKey,
  kept: KeptRequest,
  now: number,
): Promise<void> {
  const row = { ...kept, created_at: now }
  await tx
    .insertInto('idempotent_requests')
    .values({ caller, key, ...row })
    .onConflict((expired) => expired.columns(['caller', 'key']).doUpdateSet(row))
    .execute()
}

/** Removes at most `limit` requests that are over their life; says whether there may be others. */
export async function removeOldRequests(tx: Writer, now: number, limit: number): Promise<boolean> {
  const old = await tx
    .selectFrom('idempotent_requests')
    .select(['caller', 'key'])
    .where('created_at', '<=', now - KEY_LIFE_MS)
    .orderBy('created_at')
    .limit(limit)
    .execute()
  for (const { caller, key } of old)
    await tx
      .deleteFrom('idempotent_requests')
      .where('caller', '=', caller)
      .where('key', '=', key)
      .execute()
  return old.length === limit
}
