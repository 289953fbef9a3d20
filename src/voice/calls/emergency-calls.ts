/**
 * Decides which calls to 911 and 933 are placed. Each needs the address where help is sent: from the record
 * of the caller's number, or of the number that the caller's SIP domain names.
 */
import type { PostalAddress } from '../../emergency/civic-address.js'
import {
  type EmergencyRecord,
  findEmergencyRecord,
  findEmergencyRecordBySid,
} from '../../emergency/emergency-records.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/log.js'
import type { EventLog } from '../events/event-log.js'
import type { EmergencyPlan } from '../model/call-plan.js'
import type { EmergencyNumber } from '../model/emergency-number.js'
import type { SipDomains } from '../sip-domains/sip-domains.js'

export interface EmergencyCaller {
  /** The call whose event log gets the decision. */
  readonly callSid: string
  readonly accountSid: string
  /** The caller's number in E.164; undefined when the call shows none. */
  readonly number: string | undefined
  /** The SIP domain that received the call. */
  readonly domainSid: string | undefined
}

export type EmergencyVerdict =
  | { readonly type: 'admitted'; readonly plan: EmergencyPlan }
  | { readonly type: 'refused'; readonly reason: string }

export interface EmergencyCallsDeps {
  readonly db: Pick<Database, 'read'>
  readonly domains: Pick<SipDomains, 'fetch'>
  readonly events: Pick<EventLog, 'append'>
  readonly log: Logger
}

export class EmergencyCalls {
  readonly #deps: EmergencyCallsDeps

  constructor(deps: EmergencyCallsDeps) {
    this.#deps = deps
  }

  /** Decides on a call, and logs an error when it is refused. */
  async judge(number: EmergencyNumber, caller: EmergencyCaller): Promise<EmergencyVerdict> {
    const record = (await this.#recordOfDomain(caller)) ?? (await this.#recordOfNumber(caller))
    const { callSid, accountSid } = caller
    const shown = { number, caller: caller.number ?? '' }
    const { events, log } = this.#deps
    if (record === undefined) {
      const reason = reasonFor(number, caller)
      const detail = { ...shown, verdict: 'refused', reason }
      events.append({ callSid, accountSid, kind: 'emergency', detail })
      log.error({ callSid, accountSid, ...shown }, 'refused an emergency call without an address')
      return { type: 'refused', reason }
    }
    const detail = { ...shown, verdict: 'admitted', callbackNumber: record.number }
    events.append({ callSid, accountSid, kind: 'emergency', detail })
    log.warn({ callSid, accountSid, ...shown }, 'admitted an emergency call')
    return { type: 'admitted', plan: planOf(number, record) }
  }

  /** Returns the record of the domain's EmergencyCallerSid, if the domain allows calls to 911. */
  async #recordOfDomain(caller: EmergencyCaller): Promise<EmergencyRecord | undefined> {
    const { accountSid, domainSid } = caller
    if (domainSid === undefined) return undefined
    const domain = await this.#deps.domains.fetch(accountSid, domainSid)
    const { emergencyCallingEnabled, emergencyCallerSid } = domain
    if (!emergencyCallingEnabled || emergencyCallerSid === undefined) return undefined
    return await findEmergencyRecordBySid(this.#deps.db.read, accountSid, emergencyCallerSid)
  }

  async #recordOfNumber({ accountSid, number }: EmergencyCaller) {
    if (number === undefined) return undefined
    return await findEmergencyRecord(this.#deps.db.read, accountSid, number)
  }
}

function reasonFor(number: EmergencyNumber, caller: EmergencyCaller): string {
  const what =
    caller.number === undefined
      ? 'the caller shows no number'
      : `${caller.number} has no emergency address of this account`
  return `${number} was not called: ${what}`
}

function planOf(number: EmergencyNumber, record: EmergencyRecord): EmergencyPlan {
  const { address1, address2, city, state, zip } = record
  const address: PostalAddress = { address1, address2, city, state, zip }
  return {
    number,
    callbackNumber: record.number,
    callerName: record.callerName,
    address,
    location: record.location,
    source: record.source,
  }
}
