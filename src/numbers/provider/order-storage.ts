/** The stored orders of the number provider: the rows, and who works on them. */
import { isUnclaimed, UNCLAIMED } from '../../platform/database/claims.js'
import type { Database, Reader, Writer } from '../../platform/database/database.js'
import type { Selectable } from '../../platform/database/tables.js'
import type { OrderedNumbers } from '../number-orders.js'
import type { NumberOrdersTable } from '../order-tables.js'
import { claimEach, type DueRequest } from './due-rows.js'
import type { PlannedNumber } from './planned-order.js'

/** An open order at the provider. */
export interface OpenOrder {
  readonly id: string
  readonly accountSid: string
  readonly reference: string
  readonly numbers: readonly PlannedNumber[]
  readonly price: number
  readonly attempts: number
  readonly createdAt: number
}

type OrderRow = Selectable<NumberOrdersTable>

/** Stores an order. An idempotency key names one order only. */
export async function insertOrder(
  tx: Writer,
  row: Omit<OrderRow, 'state' | 'result' | 'attempts' | 'endedAt'>,
): Promise<void> {
  await tx
    .insertInto('number_orders')
    .values({ ...row, state: 'placing', result: null, attempts: 0, endedAt: null })
    .execute()
}

/** Returns the order that a customer's key has named since a time. An older one loses its key. */
export async function findByRequest(
  tx: Writer,
  asked: { readonly accountSid: string; readonly requestKey: string; readonly since: number },
): Promise<Pick<OrderRow, 'id' | 'wanted'> | undefined> {
  const { accountSid, requestKey, since } = asked
  await tx
    .updateTable('number_orders')
    .set({ requestKey: null })
    .where('accountSid', '=', accountSid)
    .where('requestKey', '=', requestKey)
    .where('createdAt', '<=', since)
    .execute()
  return await tx
    .selectFrom('number_orders')
    .select(['id', 'wanted'])
    .where('accountSid', '=', accountSid)
    .where('requestKey', '=', requestKey)
    .executeTakeFirst()
}

/** Result of an order; undefined while it is open. */
export async function resultOfOrder(read: Reader, id: string): Promise<OrderedNumbers | undefined> {
  const row = await read
    .selectFrom('number_orders')
    .select('result')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.result == null ? undefined : (JSON.parse(row.result) as OrderedNumbers) // stored so
}

/** Ends an order in its final state; false when it has already ended. */
export async function endOrder(
  tx: Writer,
  id: string,
  end: { readonly state: 'settled' | 'abandoned'; readonly at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('number_orders')
    .set({ state: end.state, endedAt: end.at, nextAt: null, ...UNCLAIMED })
    .where('id', '=', id)
    .where('state', '=', 'placing')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function storeResult(tx: Writer, result: OrderedNumbers): Promise<void> {
  await tx
    .updateTable('number_orders')
    .set({ result: JSON.stringify(result) })
    .where('id', '=', result.id)
    .execute()
}

/** Postpones the next request about an order unless it has ended. */
export async function putOffOrder(db: Database, order: OpenOrder, nextAt: number): Promise<void> {
  await db.write((tx) =>
    tx
      .updateTable('number_orders')
      .set({ nextAt, attempts: order.attempts + 1, ...UNCLAIMED })
      .where('id', '=', order.id)
      .where('state', '=', 'placing')
      .where('attempts', '=', order.attempts)
      .execute(),
  )
}

/** Claims due orders. */
export async function claimOrders(
  db: Database,
  { now, wallNow, limit }: DueRequest,
): Promise<readonly OpenOrder[]> {
  const due = await db.read
    .selectFrom('number_orders')
    .select('id')
    .where('nextAt', 'is not', null)
    .where('nextAt', '<=', now)
    .where(isUnclaimed(wallNow))
    .orderBy('nextAt')
    .orderBy('id')
    .limit(limit)
    .execute()
  const rows = await claimEach(db, wallNow, due, (tx, { id }, columns) =>
    tx
      .updateTable('number_orders')
      .set(columns)
      .where('id', '=', id)
      .where('state', '=', 'placing')
      .where('nextAt', '<=', now)
      .where(isUnclaimed(wallNow))
      .returningAll()
      .executeTakeFirst(),
  )
  return rows.map(toOpenOrder)
}

/** Removes some of the orders that ended before a time; true when there may be more. */
export async function removeEndedOrders(
  tx: Writer,
  before: number,
  limit: number,
): Promise<boolean> {
  const old = await tx
    .selectFrom('number_orders')
    .select('id')
    .where('endedAt', '<', before)
    .orderBy('endedAt')
    .orderBy('id')
    .limit(limit)
    .execute()
  const ids = old.map(({ id }) => id)
  if (ids.length > 0) await tx.deleteFrom('number_orders').where('id', 'in', ids).execute()
  return ids.length === limit
}

function toOpenOrder(row: OrderRow): OpenOrder {
  return {
    id: row.id,
    accountSid: row.accountSid,
    reference: row.reference,
    numbers: JSON.parse(row.numbers) as readonly PlannedNumber[], // stored so
    price: row.price,
    attempts: row.attempts,
    createdAt: row.createdAt,
  }
}
