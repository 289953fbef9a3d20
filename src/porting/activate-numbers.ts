/** The completion of a port: its numbers move to the account with their features, in one transaction. */

import { isChargedFor, type RecurringCharges } from '../ledger/recurring-charges.js'
import { type Capabilities, changeCapabilities, holdNumber } from '../numbers/held-numbers.js'
import { changeNumberSettings } from '../numbers/number-settings.js'
import { SYSTEM_ROUTES } from '../numbers/system-routes.js'
import type { Database, Reader, Writer } from '../platform/database/database.js'
import { newSid } from '../platform/ids.js'
import type { Port, PortedNumber } from './port.js'

export interface ActivationDeps {
  readonly db: Database
  readonly recurring: Pick<RecurringCharges, 'start'>
  /** The monthly rate of a number of an account, in 1/10,000 dollar. */
  readonly monthlyRate: (read: Reader, accountSid: string) => Promise<number>
  readonly hasRoute: RouteCheck
  /**
   * Adds a number to a campaign in the caller's transaction. Resolves with the reason when that is
   * impossible.
   */
  readonly joinCampaign: (
    accountSid: string,
    campaignId: string,
    e164: string,
  ) => Promise<string | undefined>
}

/** Resolves with true when the account has a route with that id. */
export type RouteCheck = (read: Reader, accountSid: string, id: number) => Promise<boolean>

/**
 * Resolves with the reason why the account's numbers can never join the campaign; undefined when they can.
 */
export type CampaignCheck = (
  read: Reader,
  accountSid: string,
  campaignId: string,
) => Promise<string | undefined>

/** Capabilities of a ported number: all except T.38 fax. */
const PORTED: Capabilities = { voice: true, sms: true, mms: true, fax: false }

/**
 * Moves the numbers of a port to its account and starts their monthly charges. Resolves with sentences about
 * features that could not be set. Rejects with NumberTakenError. Must be called within `inOneCommit`.
 */
export async function activateNumbers(
  tx: Writer,
  port: Port,
  now: number,
  deps: ActivationDeps,
): Promise<readonly string[]> {
  const notes: string[] = []
  const rate = await deps.monthlyRate(tx, port.accountSid)
  for (const number of port.numbers) {
    const sid = newSid('PN')
    const held = await holdNumber(
      tx,
      { sid, accountSid: port.accountSid, e164: number.e164, capabilities: PORTED },
      now,
    )
    // The account may already have claimed the number, and pay for it since.
    if (held.sid !== sid) await changeCapabilities(tx, held, PORTED, now)
    notes.push(...(await setFeatures(tx, { port, number, numberSid: held.sid }, now, deps)))
    if (rate > 0 && !(await isChargedFor(tx, held.sid)))
      await deps.recurring.start(tx, {
        accountSid: port.accountSid,
        amount: rate,
        description: `Number ${number.e164}`,
        reference: held.sid,
      })
  }
  return notes
}

interface Activated {
  readonly port: Port
  readonly number: PortedNumber
  readonly numberSid: string
}

async function setFeatures(
  tx: Writer,
  { port: { accountSid }, number, numberSid }: Activated,
  now: number,
  deps: ActivationDeps,
): Promise<readonly string[]> {
  const { e164, features } = number
  const { gatewayId = SYSTEM_ROUTES.DID, campaignId, callerName } = features
  const hasRoute = await deps.hasRoute(tx, accountSid, gatewayId)
  const route = hasRoute ? gatewayId : SYSTEM_ROUTES.DID
  const change = callerName === undefined ? { route } : { route, callerName }
  await changeNumberSettings(tx, numberSid, { ...change, porting: null }, now)
  const notes = hasRoute ? [] : [`The gateway ${gatewayId} of ${e164} does not exist any more.`]
  if (campaignId === undefined) return notes
  const problem = await deps.joinCampaign(accountSid, campaignId, e164)
  return problem === undefined
    ? notes
    : [...notes, `The campaign ${campaignId} was not set on ${e164}: ${problem}.`]
}
