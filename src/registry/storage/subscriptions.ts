import { urlAtRest } from '../../platform/database/at-rest.js'
import type { Reader, Writer } from '../../platform/database/database.js'

/** A CSP's subscription to one category of events. */
export interface StoredSubscription {
  readonly category: string
  readonly endpoint: string
  readonly secretSealed: string
}

const COLUMNS = ['category', 'endpoint', 'secretSealed'] as const

export function listSubscriptions(db: Reader, cspId: string): Promise<StoredSubscription[]> {
  return db
    .selectFrom('registry_subscriptions')
    .select(COLUMNS)
    .where('cspId', '=', cspId)
    .orderBy('category')
    .execute()
}

export function findSubscription(
  db: Reader,
  cspId: string,
  category: string,
): Promise<StoredSubscription | undefined> {
  return db
    .selectFrom('registry_subscriptions')
    .select(COLUMNS)
    .where('cspId', '=', cspId)
    .where('category', '=', category)
    .executeTakeFirst()
}

/** Stores a subscription; an existing one gets the new endpoint and keeps its secret. */
export async function putSubscription(
  tx: Writer,
  cspId: string,
  { category, endpoint: url, secretSealed }: StoredSubscription,
  now: number,
): Promise<void> {
  const endpoint = urlAtRest(url)
  await tx
    .insertInto('registry_subscriptions')
    .values({ cspId, category, endpoint, secretSealed, createdAt: now })
    .onConflict((conflict) => conflict.columns(['cspId', 'category']).doUpdateSet({ endpoint }))
    .execute()
}

/** Removes a subscription; resolves with false when there is none. */
export async function deleteSubscription(
  tx: Writer,
  cspId: string,
  category: string,
): Promise<boolean> {
  const result = await tx
    .deleteFrom('registry_subscriptions')
    .where('cspId', '=', cspId)
    .where('category', '=', category)
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}
