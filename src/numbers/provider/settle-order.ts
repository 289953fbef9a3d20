/** Ends an order in one transaction: numbers, charge and answer are stored together or not at all. */
import type { Ledger } from '../../ledger/ledger.js'
import { release } from '../../ledger/reservations.js'
import type { Writer } from '../../platform/database/database.js'
import { chargeNewNumbers } from '../did-charge.js'
import { findHeldNumber, type HeldNumber } from '../held-numbers.js'
import { orderText, resultOf, takeStocked } from '../number-orders.js'
import { keepPurchase, queueGiveBack } from '../number-purchases.js'
import { type NumberRefusal, refusal } from '../number-refusal.js'
import type { SellerAnswer, SoldNumber } from '../number-seller.js'
import { inOrderOfNumbers, refusedRoute, type TakingDeps, takeNumber } from '../take-number.js'
import { endOrder, type OpenOrder, storeResult } from './order-storage.js'
import { boughtNumbers, type PlannedNumber } from './planned-order.js'

export interface SettlingDeps extends TakingDeps {
  readonly ledger: Pick<Ledger, 'post'>
}

export type FinalAnswer = Exclude<SellerAnswer, { readonly type: 'pending' }>

/**
 * Assigns the numbers from provider and inventory, and charges both at the reserved rate. Sold numbers that the
 * account cannot have are returned. Resolves with sold numbers that another account holds; those stay
 * unchanged.
 */
export async function settleOrder(
  tx: Writer,
  order: OpenOrder,
  { answer, now }: { readonly answer: FinalAnswer; readonly now: number },
  deps: SettlingDeps,
): Promise<readonly string[]> {
  if (!(await endOrder(tx, order.id, { state: 'settled', at: now }))) return []
  await release(tx, order.id)
  const { accountSid, id, numbers, price, reference } = order
  const isOpen = await isAccountOpen(tx, accountSid)
  const taken: HeldNumber[] = []
  const failures = new Map<PlannedNumber, NumberRefusal>()
  const heldByOthers: string[] = []
  for (const each of inOrderOfNumbers(numbers)) {
    const sold = soldIn(answer, each)
    const held = isOpen
      ? await takeOne(tx, order, { each, sold, now }, deps)
      : (each.refused ?? refusal('no-account'))
    if ('code' in held) failures.set(each, held)
    else taken.push(held)
    if (sold?.type !== 'sold') continue
    if (!('code' in held)) await keepPurchase(tx, each.e164, id)
    else if ((await findHeldNumber(tx, each.e164)) === undefined)
      await queueGiveBack(tx, { orderId: id, e164: each.e164, now })
    else heldByOthers.push(each.e164)
  }
  const description = orderText(id, reference, taken.length)
  const charge = { accountSid, numbers: taken, orderId: id, description, now, reservedRate: price }
  const charged = await chargeNewNumbers(tx, deps.ledger, charge)
  await storeResult(tx, { id, charged, ...wantedResult(numbers, failures) })
  return heldByOthers
}

/**
 * Ends an order that the provider did not answer in time. Nothing is charged, and everything that it may have
 * sold is returned.
 */
export async function abandonOrder(tx: Writer, order: OpenOrder, now: number): Promise<void> {
  const { id, numbers } = order
  if (!(await endOrder(tx, id, { state: 'abandoned', at: now }))) return
  await release(tx, id)
  const failures = new Map(
    numbers.map((each) => [each, each.refused ?? refusal('not-answered')] as const),
  )
  for (const e164 of boughtNumbers(numbers)) await queueGiveBack(tx, { orderId: id, e164, now })
  await storeResult(tx, { id, charged: 0, ...wantedResult(numbers, failures) })
}

/** Returns the provider's outcome for a number; undefined for one that was not ordered. */
function soldIn(
  answer: FinalAnswer,
  { e164, from, refused }: PlannedNumber,
): SoldNumber | undefined {
  if (from === 'inventory' || refused !== undefined) return undefined
  if (answer.type === 'refused') return { type: 'refused', e164, reason: answer.reason }
  return answer.numbers.find((each) => each.e164 === e164)
}

interface Settled {
  readonly each: PlannedNumber
  readonly sold: SoldNumber | undefined
  readonly now: number
}

async function takeOne(
  tx: Writer,
  { accountSid }: OpenOrder,
  { each, sold, now }: Settled,
  deps: SettlingDeps,
): Promise<HeldNumber | NumberRefusal> {
  if (each.refused !== undefined) return each.refused
  if (each.from === 'inventory')
    return await takeStocked(tx, { accountSid, wanted: each, now }, deps)
  if (sold?.type !== 'sold') return refusedBySeller(sold?.reason)
  const refused = await refusedRoute(tx, deps.gateways, { accountSid, route: each.route })
  if (refused !== undefined) return refused
  const { capabilities } = sold
  return await takeNumber(tx, { accountSid, wanted: each, capabilities, now }, deps)
}

function refusedBySeller(reason: string | undefined): NumberRefusal {
  const refused = refusal('not-available')
  return reason === undefined ? refused : { ...refused, reason }
}

async function isAccountOpen(tx: Writer, accountSid: string): Promise<boolean> {
  const row = await tx
    .selectFrom('accounts')
    .select('status')
    .where('sid', '=', accountSid)
    .executeTakeFirst()
  return row !== undefined && row.status !== 'closed'
}

/** Returns the result without fields of the plan. */
function wantedResult(
  numbers: readonly PlannedNumber[],
  failures: ReadonlyMap<PlannedNumber, NumberRefusal>,
) {
  const { ordered, failed } = resultOf(numbers, failures)
  return {
    ordered: ordered.map(({ e164, route, campaignId }) => ({ e164, route, campaignId })),
    failed,
  }
}
