/** Stores the outcomes of requests with an `Idempotency-Key` for 24 hours. */
import { RefusedError } from '../api/dialect.js'
import type { Reader, Writer } from '../database/database.js'

/** Lifetime of a key, ms; afterwards the same key is a new request. */
export const KEY_LIFE_MS = 24 * 3_600_000

export interface RequestKey {
  /** The account or CSP that the key belongs to. */
  readonly caller: string
  readonly key: string
}

export interface KeptRequest {
  /** Digest of the request; empty where the key alone identifies it, as for a carrier's repetitions. */
  readonly request: string
  readonly status: number
  /** Body of the answer, or the sid of the created resource. */
  readonly outcome: string
}

/** Throws RefusedError when the key is stored for a request with another digest. */
export function refuseOther({ request }: Pick<KeptRequest, 'request'>, digest: string): void {
  // Earlier versions kept calls and messages without a digest.
  if (request !== '' && digest !== '' && request !== digest)
    throw new RefusedError({ type: 'idempotency-key-reused' })
}

/** Resolves with the outcome of a key; undefined for an unknown or expired key. */
export async function findKept(
  read: Reader,
  { caller, key }: RequestKey,
  now: number,
): Promise<KeptRequest | undefined> {
  return await read
    .selectFrom('idempotent_requests')
    .select(['request', 'status', 'outcome'])
    .where('caller', '=', caller)
    .where('key', '=', key)
    .where('createdAt', '>', now - KEY_LIFE_MS)
    .executeTakeFirst()
}

/**
 * Stores the outcome of a request, in the transaction of its writes. Resolves with false when the key already
 * has an outcome, perhaps from a concurrent write.
 */
export async function keepRequest(
  tx: Writer,
  { caller, key }: RequestKey,
  kept: KeptRequest,
  now: number,
): Promise<boolean> {
  const row = { ...kept, createdAt: now }
  const stored = await tx
    .insertInto('idempotent_requests')
    .values({ caller, key, ...row })
    .onConflict((known) =>
      known
        .columns(['caller', 'key'])
        .doUpdateSet(row)
        .where('idempotent_requests.createdAt', '<=', now - KEY_LIFE_MS),
    )
    .executeTakeFirst()
  return (stored.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Removes at most `limit` expired requests; resolves with true when there may be more. */
export async function removeOldRequests(tx: Writer, now: number, limit: number): Promise<boolean> {
  const old = await tx
    .selectFrom('idempotent_requests')
    .select(['caller', 'key'])
    .where('createdAt', '<=', now - KEY_LIFE_MS)
    .orderBy('createdAt')
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
