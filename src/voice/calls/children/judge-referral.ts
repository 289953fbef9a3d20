import type { Accounts } from '../../../accounts/accounts.js'
import { destinationRulesOf } from '../../../destinations/destination-rules.js'
import type { Clock } from '../../../platform/clock.js'
import type { Database } from '../../../platform/database/database.js'
import { AdapterError } from '../../../platform/errors.js'
import { userOf, withoutSeparators } from '../../../platform/sip-grammar/plain-uri.js'
import { numberFromSipUser } from '../../model/address.js'
import { checkOutboundLimits } from '../admission/outbound-limits.js'
import type { CallCharging } from '../charging/call-charging.js'
import { openNumber } from './child-call.js'
import { refusalOf } from './child-calls.js'

export interface ReferralDeps {
  readonly accounts: Pick<Accounts, 'find'>
  readonly db: Pick<Database, 'read'>
  readonly clock: Pick<Clock, 'now'>
  readonly blockedPrefixes: readonly string[]
  readonly charging: Pick<CallCharging, 'checkMeans'>
}

/**
 * See `MarkupHost.judgeReferral`. A user that is no number passes: an extension of a PBX, a name. The call
 * is not charged, since nobody tells how long it is; but the account must have the means for it, and no limit of its calls may be reached.
 */
export async function judgeReferral(
  accountSid: string,
  target: string,
  { accounts, blockedPrefixes, charging, clock, db }: ReferralDeps,
): Promise<void> {
  const number = referredNumber(target)
  if (number === undefined) return
  const account = await accounts.find(accountSid)
  if (account === undefined) throw new AdapterError(`account ${accountSid} has gone`)
  const to = openNumber(number, destinationRulesOf(account, blockedPrefixes))
  try {
    const terms = await charging.checkMeans({ accountSid, to })
    const call = { accountSid, to, createdAt: clock.now(), terms }
    await checkOutboundLimits(db.read, call, account.settings)
  } catch (error) {
    throw refusalOf(error)
  }
}

/**
 * The number that a carrier would call for the URI: international with or without its prefix, or of ten
 * digits. Fewer digits without a plus are an extension.
 */
function referredNumber(target: string): string | undefined {
  const [written = ''] = (userOf(target) ?? '').split(';')
  const digits = withoutSeparators(written).replace(/^(?:00|011)(?=[1-9])/, '+')
  return /^(?:\+|\d{10})/.test(digits) ? numberFromSipUser(digits) : undefined
}
