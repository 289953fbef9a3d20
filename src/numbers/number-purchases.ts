/** Held numbers that were bought from the number provider, and their return. */
import { UNCLAIMED } from '../platform/database/claims.js'
import type { Writer } from '../platform/database/database.js'

/** Records the order that bought a held number. */
export async function keepPurchase(tx: Writer, e164: string, orderId: string): Promise<void> {
  await tx
    .insertInto('number_purchases')
    .values({ phoneNumber: e164, orderId })
    .onConflict((known) => known.column('phoneNumber').doUpdateSet({ orderId }))
    .execute()
}

/** Queues the return of a number to the provider. */
export async function queueGiveBack(
  tx: Writer,
  { orderId, e164, now }: { readonly orderId: string; readonly e164: string; readonly now: number },
): Promise<void> {
  await tx
    .insertInto('number_give_backs')
    .values({
      orderId,
      phoneNumber: e164,
      attempts: 0,
      nextAt: now,
      createdAt: now,
      ...UNCLAIMED,
    })
    .onConflict((known) => known.columns(['orderId', 'phoneNumber']).doNothing())
    .execute()
}

/** Queues the return of a released number that was bought; others are unchanged. */
export async function giveBackPurchase(tx: Writer, e164: string, now: number): Promise<void> {
  const bought = await tx
    .deleteFrom('number_purchases')
    .where('phoneNumber', '=', e164)
    .returning('orderId')
    .executeTakeFirst()
  if (bought !== undefined) await queueGiveBack(tx, { orderId: bought.orderId, e164, now })
}

/** Deletes the purchase record of a number that was ported out. */
export async function forgetPurchase(tx: Writer, e164: string): Promise<void> {
  await tx.deleteFrom('number_purchases').where('phoneNumber', '=', e164).execute()
}

/** Releases a dead node's claims of orders and returns. */
export async function releaseOrders(tx: Writer, node: string): Promise<void> {
  await tx.updateTable('number_orders').set(UNCLAIMED).where('claimedBy', '=', node).execute()
  await tx.updateTable('number_give_backs').set(UNCLAIMED).where('claimedBy', '=', node).execute()
}
