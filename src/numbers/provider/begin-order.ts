/** Stores an order before the provider hears of it, with the money that it may cost. */
import { RefusedError } from '../../platform/api/dialect.js'
import type { Clock } from '../../platform/clock.js'
import { systemClock } from '../../platform/clock.js'
import { claimOf } from '../../platform/database/claims.js'
import type { Database, Writer } from '../../platform/database/database.js'
import { findKept, KEY_LIFE_MS } from '../../platform/idempotency/kept-requests.js'
import { reserveNewNumbers } from '../did-charge.js'
import { newOrderId } from '../number-orders.js'
import type { WantedNumber } from '../take-number.js'
import { findByRequest, insertOrder, type OpenOrder } from './order-storage.js'
import { boughtNumbers, type PlanningDeps, planOrder } from './planned-order.js'

export interface NewOrder {
  readonly accountSid: string
  readonly wanted: readonly WantedNumber[]
  readonly reference: string
  /** The `Idempotency-Key` of the request, and the name that such keys are kept under. */
  readonly request: { readonly caller: string; readonly key: string } | undefined
}

export interface BeginningDeps extends PlanningDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
}

/** An order that was stored; `order` is undefined for one that an earlier request has stored. */
export interface BegunOrder {
  readonly id: string
  readonly order: OpenOrder | undefined
}

/**
 * Stores an order and reserves its price. Undefined when the provider is not needed, or when the key
 * belongs to a request that is over.
 */
export async function beginOrder(
  deps: BeginningDeps,
  asked: NewOrder,
): Promise<BegunOrder | undefined> {
  const now = deps.clock.now()
  const id = newOrderId(now)
  const wanted = JSON.stringify(asked.wanted)
  return await deps.db.write(async (tx) => {
    const earlier = await earlierOrder(tx, asked, wanted, now)
    if (earlier !== undefined) return earlier === 'answered' ? undefined : earlier
    const numbers = await planOrder(tx, deps, asked.accountSid, asked.wanted)
    if (boughtNumbers(numbers).length === 0) return undefined
    const { accountSid, reference } = asked
    const count = numbers.filter(({ refused }) => refused === undefined).length
    const price = await reserveNewNumbers(tx, { accountSid, orderId: id, count, now })
    await insertOrder(tx, {
      id,
      account_sid: accountSid,
      request_key: asked.request?.key ?? null,
      wanted,
      reference,
      numbers: JSON.stringify(numbers),
      price,
      next_at: now,
      created_at: now,
      ...claimOf(deps.db.node, systemClock.now()),
    })
    const order = { id, accountSid, reference, numbers, price, attempts: 0, createdAt: now }
    return { id, order }
  })
}

async function earlierOrder(
  tx: Writer,
  { accountSid, request }: NewOrder,
  wanted: string,
  now: number,
): Promise<BegunOrder | 'answered' | undefined> {
  if (request === undefined) return undefined
  const since = now - KEY_LIFE_MS
  const earlier = await findByRequest(tx, { accountSid, requestKey: request.key, since })
  if (earlier === undefined)
    return (await findKept(tx, request, now)) === undefined ? undefined : 'answered'
  if (earlier.wanted !== wanted) throw new RefusedError({ type: 'idempotency-key-reused' })
  return { id: earlier.id, order: undefined }
}
