/** Gives an account one number of an order, in the order's transaction. */
import type { Reader, Writer } from '../platform/database/database.js'
import { newSid } from '../platform/ids.js'
import { type GatewayAddresses, routeNameOf } from './gateways.js'
import { type Capabilities, findHeldNumber, type HeldNumber, holdNumber } from './held-numbers.js'
import { type NumberRefusal, refusal } from './number-refusal.js'
import { changeNumberSettings } from './number-settings.js'
import { isPortedByAnother, type PortedNumbers } from './ported-numbers.js'

export interface WantedNumber {
  readonly e164: string
  /** The id of a system route, or of a gateway of the account. */
  readonly route: number
  /** The campaign that the number is put under; undefined: none. */
  readonly campaignId?: string | undefined
}

export interface TakingDeps {
  readonly gateways: GatewayAddresses
  readonly ported: Pick<PortedNumbers, 'accountOf'>
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

/**
 * Resolves with the number that the account holds now, or with why it does not; nothing has changed
 * then.
 */
export async function takeNumber(
  tx: Writer,
  { accountSid, wanted, capabilities, now }: Taking,
  { joinCampaign, ported }: TakingDeps,
): Promise<HeldNumber | NumberRefusal> {
  const { e164, route, campaignId } = wanted
  const holder = (await findHeldNumber(tx, e164))?.accountSid
  if (holder !== undefined) return refusal(holder === accountSid ? 'held-already' : 'not-available')
  if (await isPortedByAnother(tx, ported, { accountSid, e164 })) return refusal('not-available')
  // Before it is held: what cannot be under its campaign stays as it is.
  const problem =
    campaignId === undefined ? undefined : await joinCampaign(tx, accountSid, campaignId, e164)
  if (problem !== undefined) return { ...refusal('no-campaign'), reason: problem }
  const sid = newSid('PN')
  const held = await holdNumber(tx, { sid, accountSid, e164, capabilities }, now)
  await changeNumberSettings(tx, sid, { route }, now)
  return held
}

/** Orders take numbers in one order, so that two of them never wait for each other. */
export function inOrderOfNumbers<Item extends { readonly e164: string }>(
  items: readonly Item[],
): readonly Item[] {
  return items.toSorted((a, b) => (a.e164 < b.e164 ? -1 : Number(a.e164 > b.e164)))
}
