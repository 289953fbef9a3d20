/** Orders: numbers of the inventory that an account gets, for the DID rate of a month each. */
import { randomBytes } from 'node:crypto'
import type { Ledger } from '../ledger/ledger.js'
import type { Clock } from '../platform/clock.js'
import type { Database, Writer } from '../platform/database/database.js'
import { newSid } from '../platform/ids.js'
import { chargeNewNumbers } from './did-charge.js'
import { type HeldNumber, holdNumber } from './held-numbers.js'
import { findInInventory } from './inventory.js'
import { NumberTakenError } from './number-errors.js'
import { type NumberRefusal, refusal } from './number-refusal.js'
import { type GatewayAddresses, routeNameOf } from './number-routes.js'
import { changeNumberSettings } from './number-settings.js'

export interface WantedNumber {
  readonly e164: string
  /** The id of a system route, or of a gateway of the account. */
  readonly route: number
  /** The campaign that the number is put under; undefined: none. */
  readonly campaignId?: string | undefined
}

export interface OrderedNumbers {
  readonly id: string
  /** In 1/10,000 dollar. */
  readonly charged: number
  /** The numbers that the account has got, in the order in which they were named. */
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

export interface OrderDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly ledger: Pick<Ledger, 'post'>
  readonly gateways: GatewayAddresses
  /**
   * Puts a number that the account has just got under its campaign, in the transaction of the order;
   * resolves with why it cannot be.
   */
  readonly joinCampaign: (
    tx: Writer,
    accountSid: string,
    campaignId: string,
    e164: string,
  ) => Promise<string | undefined>
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
          const held = await takeOne(tx, { accountSid, wanted: each, now }, { deps, taken })
          if ('code' in held) failures.set(each, held)
          else taken.push(held)
        }
        const description = `Order ${id} (${reference}): ${taken.length} numbers`
        const order = { accountSid, numbers: taken, orderId: id, description, now }
        const charged = await chargeNewNumbers(tx, ledger, order)
        return { id, charged, ...resultOf(wanted, failures) }
      })
    },
  }
}

/** The time of the order, and what tells it from others of that moment. */
function newOrderId(now: number): string {
  const time = new Date(now).toISOString().replaceAll(/\D/g, '')
  return `${time}-${randomBytes(4).toString('hex')}`
}

/** Orders take numbers in one order, so that two of them never wait for each other. */
function inOrderOfNumbers(wanted: readonly WantedNumber[]): readonly WantedNumber[] {
  return wanted.toSorted((a, b) => (a.e164 < b.e164 ? -1 : Number(a.e164 > b.e164)))
}

interface Taking {
  readonly accountSid: string
  readonly wanted: WantedNumber
  readonly now: number
}

async function takeOne(
  tx: Writer,
  { accountSid, wanted, now }: Taking,
  { deps, taken }: { readonly deps: OrderDeps; readonly taken: readonly HeldNumber[] },
): Promise<HeldNumber | NumberRefusal> {
  const { e164, route } = wanted
  if (taken.some((held) => held.e164 === e164)) return refusal('named-twice')
  if ((await routeNameOf(tx, deps.gateways, { accountSid, route })) === undefined)
    return refusal('no-route')
  const stocked = await findInInventory(tx, e164)
  if (stocked === undefined) return refusal('not-available')
  const sid = newSid('PN')
  const { capabilities } = stocked
  try {
    const held = await holdNumber(tx, { sid, accountSid, e164, capabilities }, now)
    if (held.sid !== sid) return refusal('held-already')
    await changeNumberSettings(tx, sid, { route }, now)
    const problem = await join(tx, accountSid, wanted, deps)
    if (problem === undefined) return held
    await tx.deleteFrom('phone_numbers').where('sid', '=', sid).execute()
    return { ...refusal('no-campaign'), reason: problem }
  } catch (error) {
    if (error instanceof NumberTakenError) return refusal('not-available')
    throw error
  }
}

async function join(
  tx: Writer,
  accountSid: string,
  { e164, campaignId }: WantedNumber,
  { joinCampaign }: OrderDeps,
): Promise<string | undefined> {
  return campaignId === undefined ? undefined : await joinCampaign(tx, accountSid, campaignId, e164)
}

function resultOf(
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
