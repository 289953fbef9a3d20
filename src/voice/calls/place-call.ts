/** Places the calls of the REST API, and those that the server places itself. */
import type { Account } from '../../accounts/accounts.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import { InvariantError } from '../../platform/errors.js'
import {
  findKept,
  type KeptRequest,
  keepRequest,
  refuseOther,
} from '../../platform/idempotency/kept-requests.js'
import { newSid } from '../../platform/ids.js'
import type { EventLog } from '../events/event-log.js'
import { parseCallAddress } from '../model/address.js'
import {
  CallerIdNotVerifiedError,
  CallLimitError,
  NumberBlockedError,
  TelephonyUnavailableError,
  TooManyCallsError,
} from '../model/call-errors.js'
import type { EmergencyPlan } from '../model/call-plan.js'
import type { CallRecord } from '../model/call-record.js'
import { emergencyNumberOf } from '../model/emergency-number.js'
import { type HoldsCallerId, mayShow } from '../routing/caller-id-policy.js'
import type { Telephony } from '../telephony/port.js'
import type { CallActor } from './actor/call-actor.js'
import type { CallSlots } from './admission/call-slots.js'
import type { OutageEvents } from './admission/outage-events.js'
import { checkOutboundLimits, hasOutboundLimits } from './admission/outbound-limits.js'
import type { OverloadControl } from './admission/overload-control.js'
import type { CallCharging } from './charging/call-charging.js'
import { type CreateCall, newOutboundCall } from './create-call.js'
import type { EmergencyCalls } from './emergency-calls.js'
import { insertCall } from './storage/call-storage.js'

export interface PlaceCallDeps {
  readonly db: Database
  readonly telephony: Pick<Telephony, 'health'>
  readonly clock: Clock
  readonly events: EventLog
  readonly blockedPrefixes: readonly string[]
  readonly holdsCallerId: HoldsCallerId
  readonly charging: Pick<CallCharging, 'rated' | 'reserve'>
  readonly emergency: Pick<EmergencyCalls, 'judge'>
  readonly slots: CallSlots
  readonly overload: OverloadControl
  readonly outages: OutageEvents
  readonly begin: (call: CallRecord) => CallActor
  readonly fetch: (accountSid: string, sid: string) => Promise<CallRecord>
}

/** Error number of a call that exceeds a limit of its account. */
const TOO_MANY = 10004

/**
 * Checks, stores and queues a call. A request with a known idempotency key returns the first request's call.
 */
export async function placeCall(
  account: Account,
  wanted: CreateCall,
  deps: PlaceCallDeps,
): Promise<CallRecord> {
  const { db, telephony, clock, slots, begin, fetch } = deps
  if (telephony.health.signaling !== 'up' || telephony.health.media !== 'up') {
    deps.outages.refused(account.sid)
    throw new TelephonyUnavailableError('no calls can be placed at this moment')
  }
  const emergency = await emergencyOf(account, wanted, deps.emergency)
  const isEmergency = emergency !== undefined
  const made = newOutboundCall(account, wanted, deps.blockedPrefixes, clock.now(), emergency)
  if (!isEmergency) await checkOrdinary(account, wanted, made, deps)
  const call = await deps.charging.rated(made)
  const isLimited = !isEmergency && hasOutboundLimits(account.settings)
  const { idempotencyKey: key, requestDigest: digest = '' } = wanted
  const request = key === undefined ? undefined : { caller: account.sid, key }
  const earlier = await alarming(call, deps.events, () =>
    db.write(
      async (tx) => {
        const now = clock.now()
        // The key decides: of two concurrent requests the second one waits here, and finds the first one's
        // call.
        if (request !== undefined && !(await keepRequest(tx, request, madeCall(call, digest), now)))
          return outcomeOf(await findKept(tx, request, now), digest)
        if (isLimited) await checkOutboundLimits(tx, call, account.settings)
        await insertCall(tx, call, db.node)
        await deps.charging.reserve(tx, call, now)
        await wanted.internal?.store(tx, call)
        return undefined
      },
      wanted.internal === undefined && !isLimited ? 'read-committed' : 'serializable',
    ),
  )
  if (earlier !== undefined) return fetch(account.sid, earlier)
  if (isEmergency) slots.startEmergency(begin(call), account)
  else slots.enqueue(begin(call), account, wanted.internal?.delayMs ?? 0)
  return call
}

/** Returns the plan of a call to an emergency number. Rejects with NumberBlockedError without an address. */
async function emergencyOf(
  account: Account,
  { to, from }: CreateCall,
  emergency: Pick<EmergencyCalls, 'judge'>,
): Promise<EmergencyPlan | undefined> {
  const number = emergencyNumberOf(to)
  if (number === undefined) return undefined
  const shown = parseCallAddress(from, account.phoneRegions)
  const verdict = await emergency.judge(number, {
    callSid: newSid('CA'),
    accountSid: account.sid,
    number: shown?.type === 'number' ? shown.e164 : undefined,
    domainSid: undefined,
  })
  if (verdict.type === 'admitted') return verdict.plan
  throw new NumberBlockedError(verdict.reason)
}

/** Notifies the operator of a call that exceeds a limit, in the live events and the event log. */
async function alarming<Result>(
  { accountSid, sid }: CallRecord,
  events: EventLog,
  store: () => Promise<Result>,
): Promise<Result> {
  try {
    return await store()
  } catch (error) {
    if (error instanceof CallLimitError) {
      const detail = { code: TOO_MANY, message: error.message } as const
      events.append({ callSid: sid, accountSid, kind: 'warning', detail })
    }
    throw error
  }
}

/**
 * Throws when the server or the account has no capacity for the call, or when its caller ID is not allowed.
 */
async function checkOrdinary(
  account: Account,
  { internal }: CreateCall,
  made: CallRecord,
  { clock, overload, holdsCallerId, slots }: PlaceCallDeps,
): Promise<void> {
  if (overload.refusesToQueue(clock.monotonic()))
    throw new TooManyCallsError('the server is late with its calls: try again in a moment')
  if (internal === undefined) await checkCallerId(account, made, holdsCallerId)
  slots.check(account)
}

async function checkCallerId(
  account: Account,
  call: CallRecord,
  holds: HoldsCallerId,
): Promise<void> {
  if (await mayShow(account, call, holds)) return
  throw new CallerIdNotVerifiedError(
    `The source phone number provided, ${call.from}, is not yet verified for your account. ` +
      'You may only make calls from phone numbers that you own or have verified.',
  )
}

/** The stored outcome of a create request. */
function madeCall({ sid }: CallRecord, digest: string): KeptRequest {
  return { request: digest, status: 201, outcome: sid }
}

function outcomeOf(kept: KeptRequest | undefined, digest: string): string {
  if (kept === undefined) throw new InvariantError('a key is taken by no request')
  refuseOther(kept, digest)
  return kept.outcome
}
