import type { Account } from '../../accounts/accounts.js'
import { newSid } from '../../platform/ids.js'
import { type CallAddress, formatAddress, parseCallAddress } from '../sip/address.js'
import { InvalidFromError, InvalidToError } from './call-errors.js'
import type { CallPlan } from './call-plan.js'
import { type CallRecord, newCallRecord } from './call-record.js'

export interface CreateCall {
  readonly to: string
  readonly from: string
  readonly plan: CallPlan
}

/** Checks both ends and makes the record; throws the documented error and leaves nothing behind. */
export function newOutboundCall(account: Account, wanted: CreateCall, now: number): CallRecord {
  const to = parseCallAddress(wanted.to, account.phoneRegions)
  if (to === undefined)
    throw new InvalidToError(
      `The phone number or SIP URI you are attempting to call, ${wanted.to}, is not valid.`,
    )
  // The caller's number is not checked against regions: it may be a short code of the carrier's.
  const from = parseCallAddress(wanted.from, []) ?? shortCode(wanted.from)
  if (from === undefined)
    throw new InvalidFromError(`The source phone number provided, ${wanted.from}, is not valid.`)
  return newCallRecord(
    {
      sid: newSid('CA'),
      accountSid: account.sid,
      direction: 'outbound-api',
      to: formatAddress(to),
      from: formatAddress(from),
      plan: wanted.plan,
    },
    now,
  )
}

function shortCode(text: string): CallAddress | undefined {
  return /^[0-9]{2,6}$/.test(text.trim()) ? { type: 'number', e164: text.trim() } : undefined
}
