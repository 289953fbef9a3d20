import type { Writer } from '../../platform/database/database.js'

/** A key is remembered this long; after it the same key makes another call. */
export const KEY_LIFE_MS = 24 * 3_600_000

/**
 * Binds the key to the call in the transaction that stores it. When it is bound already, says to which
 * call, and the transaction has nothing to add.
 */
export async function claimKey(
  tx: Writer,
  claim: { readonly accountSid: string; readonly key: string; readonly callSid: string },
  now: number,
): Promise<string | undefined> {
  const known = await tx
    .selectFrom('idempotency_keys')
    .select('call_sid')
    .where('account_sid', '=', claim.accountSid)
    .where('key', '=', claim.key)
    .where('created_at', '>', now - KEY_LIFE_MS)
    .executeTakeFirst()
  if (known !== undefined) return known.call_sid
  const row = { call_sid: claim.callSid, created_at: now }
  await tx
    .insertInto('idempotency_keys')
    .values({ account_sid: claim.accountSid, key: claim.key, ...row })
    .onConflict((expired) => expired.columns(['account_sid', 'key']).doUpdateSet(row))
    .execute()
  return undefined
}

/** Removes so many keys that are not remembered any more; says whether there may be others. */
export async function removeOldKeys(tx: Writer, now: number, limit: number): Promise<boolean> {
  const old = await tx
    .selectFrom('idempotency_keys')
    .select(['account_sid', 'key'])
    .where('created_at', '<=', now - KEY_LIFE_MS)
    .orderBy('created_at')
    .limit(limit)
    .execute()
  for (const { account_sid, key } of old)
    await tx
      .deleteFrom('idempotency_keys')
      .where('account_sid', '=', account_sid)
      .where('key', '=', key)
      .execute()
  return old.length === limit
}
