/** The numbers that the provider is to get back: who works on each, and when it is tried again. */
import { isUnclaimed, UNCLAIMED } from '../../platform/database/claims.js'
import type { Database } from '../../platform/database/database.js'
import { claimEach, type DueRequest } from './due-rows.js'

export interface GiveBack {
  readonly orderId: string
  readonly e164: string
  readonly attempts: number
  readonly createdAt: number
}

/** Claims numbers that are due and that nobody works on. */
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

/** Forgets a number that the provider has again. */
export async function removeGiveBack(db: Database, { orderId, e164 }: GiveBack): Promise<void> {
  await db.write((tx) =>
    tx
      .deleteFrom('number_give_backs')
      .where('orderId', '=', orderId)
      .where('phoneNumber', '=', e164)
      .execute(),
  )
}

/** Puts a number off; without a time nobody tries it any more. */
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
