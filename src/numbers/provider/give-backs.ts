/** The numbers that the provider is to get back: who works on each, and when it is tried again. */
import { claimOf, isUnclaimed, UNCLAIMED } from '../../platform/database/claims.js'
import type { Database, Reader } from '../../platform/database/database.js'

export interface GiveBack {
  readonly orderId: string
  readonly e164: string
  readonly attempts: number
  readonly createdAt: number
}

/** The time at which the next number is due that nobody works on. */
export async function nextGiveBackAt(read: Reader, wallNow: number): Promise<number | undefined> {
  const row = await read
    .selectFrom('number_give_backs')
    .select('next_at')
    .where('next_at', 'is not', null)
    .where(isUnclaimed(wallNow))
    .orderBy('next_at')
    .limit(1)
    .executeTakeFirst()
  return row?.next_at ?? undefined
}

/** Claims numbers that are due and that nobody works on, at most `limit`. */
export async function claimGiveBacks(
  db: Database,
  {
    now,
    wallNow,
    limit,
  }: { readonly now: number; readonly wallNow: number; readonly limit: number },
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
  const claimed: GiveBack[] = []
  for (const { order_id: orderId, phone_number: e164 } of due) {
    const row = await db.write((tx) =>
      tx
        .updateTable('number_give_backs')
        .set(claimOf(db.node, wallNow))
        .where('order_id', '=', orderId)
        .where('phone_number', '=', e164)
        .where('next_at', 'is not', null)
        .where(isUnclaimed(wallNow))
        .returning(['attempts', 'created_at'])
        .executeTakeFirst(),
    )
    if (row !== undefined)
      claimed.push({ orderId, e164, attempts: row.attempts, createdAt: row.created_at })
  }
  return claimed
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
