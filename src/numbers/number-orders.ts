/** Orders: accounts get numbers for the DID rate of a month each. */
import { randomBytes } from 'node:crypto'
import type { Ledger } from '../ledger/ledger.js'
import type { Clock } from '../platform/clock.js'
import type { Database, Writer } from '../platform/database/database.js'
import { chargeNewNumbers } from './did-charge.js'
import type { HeldNumber } from './held-numbers.js'
import { findInInventory } from './inventory.js'
import { type NumberRefusal, refusal } from './number-refusal.js'
import {
  inOrderOfNumbers,
  refusedRoute,
  type TakingDeps,
  takeNumber,
  type WantedNumber,
} from './take-number.js'

export interface OrderedNumbers {
  readonly id: string
  /** In 1/10,000 dollar. */
  readonly charged: number
  /** The numbers that the account got, in the order of the request. */
  readonly ordered: readonly WantedNumber[]
  readonly failed: readonly { readonly e164: string; readonly refused: NumberRefusal }[]
}

export interface NumberOrders {
  /**
   * Gives the account the numbers of the inventory that nobody holds, puts them under the campaigns
   * that are named, charges their first month and begins their monthly charges: all in one
   * transaction. What cannot be had is named with its reason.
   * Rejects with InsufficientBalanceError when the balance does not cover the rest; nothing is ordered
   * then.
   */
  order(
    accountSid: string,
    wanted: readonly WantedNumber[],
    reference: string,
  ): Promise<OrderedNumbers>
}

export interface OrderDeps extends TakingDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly ledger: Pick<Ledger, 'post'>
}

export function createNumberOrders(deps: OrderDeps): NumberOrders {
  const { db, clock, ledger } = deps
  return {
    order: async (accountSid, wanted, reference) => {
      const now = clock.now()
      const id = newOrderId(now)
      return await db.write(async (tx) => {
        const taken: HeldNumber[] = []
        const failures = new Map<WantedNumber, NumberRefusal>()
        for (const each of inOrderOfNumbers(wanted)) {
          const isNamedTwice = taken.some((held) => held.e164 === each.e164)
          const held = isNamedTwice
            ? refusal('named-twice')
            : await takeStocked(tx, { accountSid, wanted: each, now }, deps)
          if ('code' in held) failures.set(each, held)
          else taken.push(held)
        }
        const description = orderText(id, reference, taken.length)
        const order = { accountSid, numbers: taken, orderId: id, description, now }
        const charged = await chargeNewNumbers(tx, ledger, order)
        return { id, charged, ...resultOf(wanted, failures) }
      })
    },
  }
}

/** Returns an order id: the time and a random part. */
export function newOrderId(now: number): string {
  const time = new Date(now).toISOString().replaceAll(/\D/g, '')
  return `${time}-${randomBytes(4).toString('hex')}`
}

/** Text of the order's ledger entry. */
export function orderText(id: string, reference: string, count: number): string {
  return `Order ${id} (${reference}): ${count} numbers`
}

/** Assigns a number of the inventory to the account. */
export async function takeStocked(
  tx: Writer,
  asked: { readonly accountSid: string; readonly wanted: WantedNumber; readonly now: number },
  deps: TakingDeps,
): Promise<HeldNumber | NumberRefusal> {
  const { accountSid, wanted } = asked
  const refused = await refusedRoute(tx, deps.gateways, { accountSid, route: wanted.route })
  if (refused !== undefined) return refused
  const stocked = await findInInventory(tx, wanted.e164)
  if (stocked === undefined) return refusal('not-available')
  return await takeNumber(tx, { ...asked, capabilities: stocked.capabilities }, deps)
}

/** Splits the outcome into ordered and failed numbers, in the order of the request. */
export function resultOf(
  wanted: readonly WantedNumber[],
  failures: ReadonlyMap<WantedNumber, NumberRefusal>,
): Pick<OrderedNumbers, 'ordered' | 'failed'> {
  return {
    ordered: wanted.filter((each) => !failures.has(each)),
    failed: wanted.flatMap((each) => {
      const refused = failures.get(each)
      return refused === undefined ? [] : [{ e164: each.e164, refused }]
    }),
  }
}
