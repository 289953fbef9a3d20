/** Assigns one number of an order to an account, in the order's transaction. */
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
  /** Campaign of the number; undefined: none. */
  readonly campaignId?: string | undefined
}

export interface TakingDeps {
  readonly gateways: GatewayAddresses
  readonly ported: Pick<PortedNumbers, 'accountOf'>
  /** Adds a new number to its campaign, in the order's transaction; resolves with the reason of a refusal. */
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

/** Returns the reason why an account cannot use this route; undefined when it can. */
export async function refusedRoute(
  read: Reader,
  gateways: GatewayAddresses,
  asked: { readonly accountSid: string; readonly route: number },
): Promise<NumberRefusal | undefined> {
  return (await routeNameOf(read, gateways, asked)) === undefined ? refusal('no-route') : undefined
}

/** Resolves with the held number, or with the reason of a refusal, having changed nothing. */
export async function takeNumber(
  tx: Writer,
  { accountSid, wanted, capabilities, now }: Taking,
  { joinCampaign, ported }: TakingDeps,
): Promise<HeldNumber | NumberRefusal> {
  const { e164, route, campaignId } = wanted
  const holder = (await findHeldNumber(tx, e164))?.accountSid
  if (holder !== undefined) return refusal(holder === accountSid ? 'held-already' : 'not-available')
  if (await isPortedByAnother(tx, ported, { accountSid, e164 })) return refusal('not-available')
  // Checked before the number is held: one that cannot join its campaign stays unchanged.
  const problem =
    campaignId === undefined ? undefined : await joinCampaign(tx, accountSid, campaignId, e164)
  if (problem !== undefined) return { ...refusal('no-campaign'), reason: problem }
  const sid = newSid('PN')
  const held = await holdNumber(tx, { sid, accountSid, e164, capabilities }, now)
  await changeNumberSettings(tx, sid, { route }, now)
  return held
}

/** Orders process numbers in one sort order, so that two of them never deadlock. */
export function inOrderOfNumbers<Item extends { readonly e164: string }>(
  items: readonly Item[],
): readonly Item[] {
  return items.toSorted((a, b) => (a.e164 < b.e164 ? -1 : Number(a.e164 > b.e164)))
}
