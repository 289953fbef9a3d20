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
    .select(['order_id', 'phone_number'])
    .where('next_at', 'is not', null)
    .where('next_at', '<=', now)
    .where(isUnclaimed(wallNow))
    .orderBy('next_at')
    .orderBy('order_id')
    .orderBy('phone_number')
    .limit(limit)
    .execute()
  const rows = await claimEach(db, wallNow, due, (tx, key, columns) =>
    tx
      .updateTable('number_give_backs')
      .set(columns)
      .where('order_id', '=', key.order_id)
      .where('phone_number', '=', key.phone_number)
      .where('next_at', '<=', now)
      .where(isUnclaimed(wallNow))
      .returningAll()
      .executeTakeFirst(),
  )
  return rows.map((row) => ({
    orderId: row.order_id,
    e164: row.phone_number,
    attempts: row.attempts,
    createdAt: row.created_at,
  }))
}

/** Forgets a number that the provider has again. */
export async function removeGiveBack(db: Database, { orderId, e164 }: GiveBack): Promise<void> {
  await db.write((tx) =>
    tx
      .deleteFrom('number_give_backs')
      .where('order_id', '=', orderId)
      .where('phone_number', '=', e164)
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
      .set({ next_at: nextAt ?? null, attempts: attempts + 1, ...UNCLAIMED })
      .where('order_id', '=', orderId)
      .where('phone_number', '=', e164)
      .execute(),
  )
}
