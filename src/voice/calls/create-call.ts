import type { Account } from '../../accounts/accounts.js'
import {
  type DestinationRules,
  destinationRulesOf,
  judgeDestination,
} from '../../destinations/destination-rules.js'
import type { Writer } from '../../platform/database/database.js'
import { newSid } from '../../platform/ids.js'
import { type CallAddress, formatAddress, parseCallAddress } from '../model/address.js'
import {
  AbroadClosedError,
  InvalidFromError,
  InvalidSipHeaderNameError,
  InvalidSipHeaderValueError,
  InvalidToError,
  NumberBlockedError,
  SipHeadersTooLongError,
} from '../model/call-errors.js'
import type { CallPlan, EmergencyPlan } from '../model/call-plan.js'
import { type CallRecord, newCallRecord } from '../model/call-record.js'
import { splitUriHeaders } from '../routing/uri-headers.js'

export interface CreateCall {
  /** The client's idempotency key: a repeated key returns the call of the first request. */
  readonly idempotencyKey?: string
  /** A digest of the request; a different request with the same key is refused. */
  readonly requestDigest?: string
  readonly to: string
  readonly from: string
  readonly plan: CallPlan
  /** Set for a call that the server places itself; no caller ID policy applies. */
  readonly internal?: InternalCall
}

export interface InternalCall {
  /** Time from the response to joining the call queue, ms. */
  readonly delayMs: number
  /** Stores related rows in the transaction that stores the call. */
  readonly store: (tx: Writer, call: CallRecord) => Promise<void>
}

/** Checks both parties and returns the record. Throws the documented error; stores nothing. */
export function newOutboundCall(
  account: Account,
  wanted: CreateCall,
  blockedPrefixes: readonly string[],
  now: number,
  emergency?: EmergencyPlan,
): CallRecord {
  if (emergency !== undefined) return newEmergencyCall(account, wanted, emergency, now)
  const to = readTo(wanted.to, destinationRulesOf(account, blockedPrefixes))
  return newCallRecord(
    {
      sid: newSid('CA'),
      accountSid: account.sid,
      direction: 'outbound-api',
      to: to.address,
      from:
        wanted.internal === undefined
          ? readFrom(wanted.from, account.phoneRegions, to.type)
          : wanted.from,
      plan: { ...wanted.plan, ...(to.headers === undefined ? {} : { sipHeaders: to.headers }) },
    },
    now,
  )
}

function newEmergencyCall(
  { sid: accountSid }: Account,
  { plan }: CreateCall,
  emergency: EmergencyPlan,
  now: number,
): CallRecord {
  return newCallRecord(
    {
      sid: newSid('CA'),
      accountSid,
      direction: 'outbound-api',
      to: emergency.number,
      from: emergency.callbackNumber,
      plan: { ...plan, emergency },
    },
    now,
  )
}

interface To {
  readonly type: CallAddress['type']
  readonly address: string
  readonly headers?: Readonly<Record<string, string>>
}

function readTo(text: string, rules: DestinationRules): To {
  const to = parseCallAddress(withoutHeaders(text), rules.regions)
  if (to?.type !== 'sip') return { type: 'number', address: openNumber(text, rules) }
  const address = formatAddress(to)
  const split = splitUriHeaders(text.trim())
  switch (split.type) {
    case 'split':
      return Object.keys(split.headers).length === 0
        ? { type: 'sip', address }
        : { type: 'sip', address, headers: split.headers }
    case 'too-long':
      throw new SipHeadersTooLongError('The headers of the SIP URI are too long.')
    case 'bad-name':
      throw new InvalidSipHeaderNameError(`The header ${split.name} cannot be sent.`)
    case 'bad-value':
      throw new InvalidSipHeaderValueError(`The value of the header ${split.name} is not valid.`)
  }
}

function openNumber(text: string, rules: DestinationRules): string {
  const verdict = judgeDestination(text, rules)
  switch (verdict.type) {
    case 'open':
      return verdict.e164
    case 'blocked':
      throw new NumberBlockedError(`Calls to ${text} are blocked.`)
    case 'abroad':
      throw new AbroadClosedError(
        `Calls to ${text} are not permitted: international calls are not switched on for the account.`,
      )
    case 'not-a-number':
    case 'unknown-country':
    case 'other-country':
      throw new InvalidToError(
        `The phone number or SIP URI you are attempting to call, ${text}, is not valid.`,
      )
  }
}

function withoutHeaders(text: string): string {
  return /^\s*sips?:/i.test(text) ? (text.split('?')[0] ?? '') : text
}

/**
 * Reads the caller ID: a number of the account's regions, a short code of its carrier, or any name for a SIP
 * URI.
 */
function readFrom(text: string, regions: readonly string[], toType: To['type']): string {
  const from = parseCallAddress(text, regions)
  if (from !== undefined) return formatAddress(from)
  const trimmed = text.trim()
  const isName = toType === 'sip' && /^[A-Za-z0-9+_.-]{1,64}$/.test(trimmed)
  if (isName || /^[0-9]{2,6}$/.test(trimmed)) return trimmed
  throw new InvalidFromError(`The source phone number provided, ${text}, is not valid.`)
}
