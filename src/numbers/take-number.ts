/** Gives an account one number of an order, in the order's transaction. */
import type { Reader, Writer } from '../platform/database/database.js'
import { newSid } from '../platform/ids.js'
import { type Capabilities, type HeldNumber, holdNumber } from './held-numbers.js'
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

export interface TakingDeps {
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

export interface Taking {
  readonly accountSid: string
  readonly wanted: WantedNumber
  readonly capabilities: Capabilities
  readonly now: number
}

/** Why an account cannot have a number on this route; undefined when it can. */
export async function refusedRoute(
  read: Reader,
  gateways: GatewayAddresses,
  asked: { readonly accountSid: string; readonly route: number },
): Promise<NumberRefusal | undefined> {
  return (await routeNameOf(read, gateways, asked)) === undefined ? refusal('no-route') : undefined
}

/** Resolves with the number that the account holds now, or with why it does not. */
export async function takeNumber(
  tx: Writer,
  { accountSid, wanted, capabilities, now }: Taking,
  { joinCampaign }: TakingDeps,
): Promise<HeldNumber | NumberRefusal> {
  const { e164, route, campaignId } = wanted
  const sid = newSid('PN')
  try {
    const held = await holdNumber(tx, { sid, accountSid, e164, capabilities }, now)
    if (held.sid !== sid) return refusal('held-already')
    await changeNumberSettings(tx, sid, { route }, now)
    if (campaignId === undefined) return held
    const problem = await joinCampaign(tx, accountSid, campaignId, e164)
    if (problem === undefined) return held
    await tx.deleteFrom('phone_numbers').where('sid', '=', sid).execute()
    return { ...refusal('no-campaign'), reason: problem }
  } catch (error) {
    if (error instanceof NumberTakenError) return refusal('not-available')
    throw error
  }
}

/** Orders take numbers in one order, so that two of them never wait for each other. */
export function inOrderOfNumbers<Item extends { readonly e164: string }>(
  items: readonly Item[],
): readonly Item[] {
  return items.toSorted((a, b) => (a.e164 < b.e164 ? -1 : Number(a.e164 > b.e164)))
}
