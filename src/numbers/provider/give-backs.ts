/** Numbers to return to the provider: claims and retries. */
import { isUnclaimed, UNCLAIMED } from '../../platform/database/claims.js'
import type { Database } from '../../platform/database/database.js'
import { claimEach, type DueRequest } from './due-rows.js'

export interface GiveBack {
  readonly orderId: string
  readonly e164: string
  readonly attempts: number
  readonly createdAt: number
}

/** Claims due returns. */
export async function claimGiveBacks(
  db: Database,
  { now, wallNow, limit }: DueRequest,
): Promise<readonly GiveBack[]> {
  const due = await db.read
    .selectFrom('number_give_backs')
    .select(['orderId', 'phoneNumber'])
    .where('nextAt', 'is not', null)
    .where('nextAt', '<=', now)
    .where(isUnclaimed(wallNow))
    .orderBy('nextAt')
    .orderBy('orderId')
    .orderBy('phoneNumber')
    .limit(limit)
    .execute()
  const rows = await claimEach(db, wallNow, due, (tx, key, columns) =>
    tx
      .updateTable('number_give_backs')
      .set(columns)
      .where('orderId', '=', key.orderId)
      .where('phoneNumber', '=', key.phoneNumber)
      .where('nextAt', '<=', now)
      .where(isUnclaimed(wallNow))
      .returningAll()
      .executeTakeFirst(),
  )
  return rows.map((row) => ({
    orderId: row.orderId,
    e164: row.phoneNumber,
    attempts: row.attempts,
    createdAt: row.createdAt,
  }))
}

/** Deletes a completed return. */
export async function removeGiveBack(db: Database, { orderId, e164 }: GiveBack): Promise<void> {
  await db.write((tx) =>
    tx
      .deleteFrom('number_give_backs')
      .where('orderId', '=', orderId)
      .where('phoneNumber', '=', e164)
      .execute(),
  )
}

/** Postpones a return; without a time it is not retried. */
export async function putOffGiveBack(
  db: Database,
  { orderId, e164, attempts }: GiveBack,
  nextAt: number | undefined,
): Promise<void> {
  await db.write((tx) =>
    tx
      .updateTable('number_give_backs')
      .set({ nextAt: nextAt ?? null, attempts: attempts + 1, ...UNCLAIMED })
      .where('orderId', '=', orderId)
      .where('phoneNumber', '=', e164)
      .execute(),
  )
}
