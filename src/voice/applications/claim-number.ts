/** Which numbers an account gets that asks for one, in the transaction of what is asked. */
import {
  type Capabilities,
  findHeldNumber,
  type HeldNumber,
  holdNumber,
} from '../../numbers/held-numbers.js'
import { availableIn, findInInventory } from '../../numbers/inventory.js'
import { NumberNotAvailableError, NumberTakenError } from '../../numbers/number-errors.js'
import { isPortedByAnother, type PortedNumbers } from '../../numbers/ported-numbers.js'
import type { Writer } from '../../platform/database/database.js'

/** The capabilities of a number of which nothing else is known. */
const VOICE_ONLY: Capabilities = { voice: true, sms: false, mms: false, fax: false }

/** The numbers of an area code that are tried, one after another. */
const AREA_CODE_TRIES = 10
export interface ClaimRules {
  /** The numbers that accounts may claim: any that nobody holds, or those of the inventory alone. */
  readonly claims: 'any' | 'inventory'
  /** Nobody else may claim a number than the account that brings it in from another carrier. */
  readonly ported: PortedNumbers
}

export interface Claim {
  readonly sid: string
  readonly accountSid: string
  readonly now: number
}

/** Gives an account a number that it claims. Throws NumberTakenError and NumberNotAvailableError. */
export async function claimOne(
  tx: Writer,
  claim: Claim,
  e164: string,
  { claims, ported }: ClaimRules,
): Promise<HeldNumber> {
  if (await isPortedByAnother(tx, ported, { accountSid: claim.accountSid, e164 }))
    throw new NumberTakenError(`${e164} is not available`)
  return await holdOne(tx, claim, e164, claims)
}

/** Gives an account a number, whoever may be about to get it. */
export async function holdOne(
  tx: Writer,
  { sid, accountSid, now }: Claim,
  e164: string,
  claims: ClaimRules['claims'],
): Promise<HeldNumber> {
  const stocked = await findInInventory(tx, e164)
  const capabilities = stocked?.capabilities ?? VOICE_ONLY
  if (stocked === undefined && claims === 'inventory') {
    const held = await findHeldNumber(tx, e164)
    // Whoever holds it already may bind it anew.
    if (held === undefined) throw new NumberNotAvailableError(21422, `${e164} is not available`)
  }
  return await holdNumber(tx, { sid, accountSid, e164, capabilities }, now)
}

/** Gives an account any number of an area code. Throws NumberNotAvailableError. */
export async function holdAnyOf(
  tx: Writer,
  { sid, accountSid, now }: Claim,
  areaCode: string,
  { ported }: Pick<ClaimRules, 'ported'>,
): Promise<HeldNumber> {
  const free = await availableIn(tx, ported, areaCode, AREA_CODE_TRIES)
  for (const { e164, capabilities } of free) {
    try {
      return await holdNumber(tx, { sid, accountSid, e164, capabilities }, now)
    } catch (error) {
      // Another account has just claimed it.
      if (!(error instanceof NumberTakenError)) throw error
    }
  }
  throw new NumberNotAvailableError(21452, `No number of the area code ${areaCode} is available`)
}
