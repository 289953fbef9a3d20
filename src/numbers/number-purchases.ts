/** The held numbers that an order has brought from the number provider, and their way back. */
import { UNCLAIMED } from '../platform/database/claims.js'
import type { Writer } from '../platform/database/database.js'

/** Notes which order has brought a number that an account holds now. */
export async function keepPurchase(tx: Writer, e164: string, orderId: string): Promise<void> {
  await tx
    .insertInto('number_purchases')
    .values({ phoneNumber: e164, orderId })
    .onConflict((known) => known.column('phoneNumber').doUpdateSet({ orderId }))
    .execute()
}

/** Lets the provider have a number again. */
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

/** Lets the provider have a number again that no account holds any more; no other is touched. */
export async function giveBackPurchase(tx: Writer, e164: string, now: number): Promise<void> {
  const bought = await tx
    .deleteFrom('number_purchases')
    .where('phoneNumber', '=', e164)
    .returning('orderId')
    .executeTakeFirst()
  if (bought !== undefined) await queueGiveBack(tx, { orderId: bought.orderId, e164, now })
}

/** Forgets which order has brought a number that has left the system. */
export async function forgetPurchase(tx: Writer, e164: string): Promise<void> {
  await tx.deleteFrom('number_purchases').where('phoneNumber', '=', e164).execute()
}

/** Lets others work on the orders and returns that a dead process had claimed, at once. */
export async function releaseOrders(tx: Writer, node: string): Promise<void> {
  await tx.updateTable('number_orders').set(UNCLAIMED).where('claimedBy', '=', node).execute()
  await tx.updateTable('number_give_backs').set(UNCLAIMED).where('claimedBy', '=', node).execute()
}
