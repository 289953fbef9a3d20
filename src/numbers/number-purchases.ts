/** The held numbers that an order has brought from the number provider, and their way back. */
import { UNCLAIMED } from '../platform/database/claims.js'
import type { Writer } from '../platform/database/database.js'

/** Notes which order has brought a number that an account holds now. */
export async function keepPurchase(tx: Writer, e164: string, orderId: string): Promise<void> {
  await tx
    .insertInto('number_purchases')
    .values({ phone_number: e164, order_id: orderId })
    .onConflict((known) => known.column('phone_number').doUpdateSet({ order_id: orderId }))
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
      order_id: orderId,
      phone_number: e164,
      attempts: 0,
      next_at: now,
      created_at: now,
      ...UNCLAIMED,
    })
    .onConflict((known) => known.columns(['order_id', 'phone_number']).doNothing())
    .execute()
}

/** Lets the provider have a number again that no account holds any more; no other is touched. */
export async function giveBackPurchase(tx: Writer, e164: string, now: number): Promise<void> {
  const bought = await tx
    .deleteFrom('number_purchases')
    .where('phone_number', '=', e164)
    .returning('order_id')
    .executeTakeFirst()
  if (bought !== undefined) await queueGiveBack(tx, { orderId: bought.order_id, e164, now })
}

/** Forgets which order has brought a number that has left the system. */
export async function forgetPurchase(tx: Writer, e164: string): Promise<void> {
  await tx.deleteFrom('number_purchases').where('phone_number', '=', e164).execute()
}

/** Lets others work on the orders and returns that a dead process had claimed, at once. */
export async function releaseOrders(tx: Writer, node: string): Promise<void> {
  await tx.updateTable('number_orders').set(UNCLAIMED).where('claimed_by', '=', node).execute()
  await tx.updateTable('number_give_backs').set(UNCLAIMED).where('claimed_by', '=', node).execute()
}
