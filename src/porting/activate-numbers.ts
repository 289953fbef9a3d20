/** The end of a port: its numbers become the account's, with their features, in one transaction. */

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
   * Puts a number under a campaign; joins the transaction that it is called in. Resolves with the
   * reason when it cannot be.
   */
  readonly joinCampaign: (
    accountSid: string,
    campaignId: string,
    e164: string,
  ) => Promise<string | undefined>
}

/** True when the account has a route of that id. */
export type RouteCheck = (read: Reader, accountSid: string, id: number) => Promise<boolean>

/** Resolves with the reason why numbers of the account can never join the campaign. */
export type CampaignCheck = (
  read: Reader,
  accountSid: string,
  campaignId: string,
) => Promise<string | undefined>

/** A number of another carrier can do all that ours can, but fax by T.38. */
const PORTED: Capabilities = { voice: true, sms: true, mms: true, fax: false }

/**
 * Gives the numbers of a port to its account and begins their monthly charges. Resolves with
 * sentences about features that could not be set. Rejects with NumberTakenError. It is called
 * within `inOneCommit`.
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
    // The account may have claimed it before the port was complete, and pay for it since.
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
