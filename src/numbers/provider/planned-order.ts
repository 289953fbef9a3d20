/** Plans an order at the number provider: the source of each number, and the maximum price. */
import type { Reader } from '../../platform/database/database.js'
import { findHeldNumber } from '../held-numbers.js'
import { findInInventory } from '../inventory.js'
import { type NumberRefusal, refusal } from '../number-refusal.js'
import { isPortedByAnother } from '../ported-numbers.js'
import { refusedRoute, type TakingDeps, type WantedNumber } from '../take-number.js'

export type PlanningDeps = Pick<TakingDeps, 'gateways' | 'ported'>

/** One number of an order, as it is stored. */
export interface PlannedNumber extends WantedNumber {
  readonly from: 'inventory' | 'provider'
  /** Reason why it is not ordered; undefined for an ordered number. */
  readonly refused?: NumberRefusal | undefined
}

/** Returns the numbers in the order of the request, without duplicates. */
export async function planOrder(
  read: Reader,
  deps: PlanningDeps,
  accountSid: string,
  wanted: readonly WantedNumber[],
): Promise<readonly PlannedNumber[]> {
  const planned: PlannedNumber[] = []
  const asked = new Set<string>()
  for (const each of wanted) {
    const from = (await findInInventory(read, each.e164)) === undefined ? 'provider' : 'inventory'
    const refused = asked.has(each.e164)
      ? refusal('named-twice')
      : await refusedNow(read, deps, accountSid, each)
    if (refused === undefined) asked.add(each.e164)
    planned.push({ ...each, from, refused })
  }
  return planned
}

/** Returns the distinct numbers to buy from the provider. */
export function boughtNumbers(planned: readonly PlannedNumber[]): readonly string[] {
  return planned
    .filter(({ from, refused }) => from === 'provider' && refused === undefined)
    .map(({ e164 }) => e164)
}

async function refusedNow(
  read: Reader,
  { gateways, ported }: PlanningDeps,
  accountSid: string,
  { e164, route }: WantedNumber,
): Promise<NumberRefusal | undefined> {
  // No provider sells numbers outside North America.
  if (!e164.startsWith('+1')) return refusal('not-available')
  const refused = await refusedRoute(read, gateways, { accountSid, route })
  if (refused !== undefined) return refused
  const held = await findHeldNumber(read, e164)
  if (held === undefined) {
    const isPorted = await isPortedByAnother(read, ported, { accountSid, e164 })
    return isPorted ? refusal('not-available') : undefined
  }
  return refusal(held.accountSid === accountSid ? 'held-already' : 'not-available')
}
