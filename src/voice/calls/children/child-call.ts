/** Creates the record of a child call from a Dial's request for one party. Pure except for the new sid. */
import {
  type DestinationRules,
  type DestinationVerdict,
  judgeDestination,
} from '../../../destinations/destination-rules.js'
import { newSid } from '../../../platform/ids.js'
import type { Vault } from '../../../platform/secrets.js'
import {
  type ChildCallRequest,
  DialRefusedError,
  type DialTarget,
} from '../../markup/child-call.js'
import { parseCallAddress } from '../../model/address.js'
import type { CallPlan, EmergencyPlan, PlannedTarget } from '../../model/call-plan.js'
import { type CallRecord, newCallRecord } from '../../model/call-record.js'

/** Documented error numbers for refused numbers, by reason. */
const REFUSALS: Readonly<
  Record<Exclude<DestinationVerdict['type'], 'open'>, readonly [DialRefusedError['number'], string]>
> = {
  'not-a-number': [13224, 'is not a number that can be called'],
  blocked: [13225, 'may not be called'],
  'unknown-country': [13226, 'begins with a country code that does not exist'],
  'other-country': [13227, 'is of a country that this account does not call'],
  abroad: [13227, 'is in another country, and the account may not call abroad'],
}

/** Error number of a call that exceeds a limit. */
const TOO_MANY = 10004

/**
 * Returns the child's record. Throws DialRefusedError: 13224 to 13227 for the called number, 13247 for the
 * caller ID, 10004 when no hops are left.
 */
export function newChildCall(
  parent: CallRecord,
  wanted: ChildCallRequest,
  deps: {
    readonly destinationRules: DestinationRules
    readonly vault: Vault
    readonly now: number
    /** Set for a call to an emergency number. */
    readonly emergency?: EmergencyPlan | undefined
  },
): CallRecord {
  const { emergency } = deps
  if (parent.plan.maxForwards === 0 && emergency === undefined)
    throw new DialRefusedError(TOO_MANY, 'the call was led on too often: its Max-Forwards is 0')
  return newCallRecord(
    {
      sid: newSid('CA'),
      accountSid: parent.accountSid,
      parentCallSid: parent.sid,
      direction: 'outbound-dial',
      to: emergency?.number ?? addressOf(wanted, deps.destinationRules),
      from: emergency?.callbackNumber ?? callerIdOf(parent, wanted),
      plan: {
        ...planOf(parent, wanted, deps.vault),
        ...(emergency === undefined ? forwardedOf(parent, wanted) : { emergency }),
      },
      // Both legs of a customer's call name the equipment that placed it.
      ...(isOwnEquipment(parent) ? { sipOrigin: parent.sipOrigin } : {}),
      ...(parent.callerName === undefined || wanted.callerId !== undefined
        ? {}
        : { callerName: parent.callerName }),
    },
    deps.now,
  )
}

/** True for a call of the account's own equipment, which has no markup. */
function isOwnEquipment({ plan: { document } }: CallRecord): boolean {
  return document.type === 'bridge' && document.party.isOwn
}

function addressOf({ to }: ChildCallRequest, rules: DestinationRules): string {
  if (to.type === 'sip') return to.targets[0].uri
  return openNumber(to.number, rules)
}

/** Returns the number in E.164. Throws DialRefusedError, 13224 to 13227, when it may not be called. */
export function openNumber(text: string, rules: DestinationRules): string {
  const verdict = judgeDestination(text, rules)
  if (verdict.type === 'open') return verdict.e164
  const [number, why] = REFUSALS[verdict.type]
  throw new DialRefusedError(number, `${text} ${why}`)
}

/** Returns the caller ID of a child call; by default the parent's From. */
function callerIdOf(parent: CallRecord, { to, callerId }: ChildCallRequest): string {
  if (callerId === undefined) return parent.from
  const address = parseCallAddress(callerId, [])
  if (address?.type === 'number') return address.e164
  if (to.type === 'sip') return address?.uri ?? callerId
  // A short code that a carrier has assigned to the account.
  if (/^[0-9]{2,6}$/.test(callerId)) return callerId
  throw new DialRefusedError(13247, `a number cannot be called from ${callerId}`)
}

/**
 * Returns the parent's Identity header when the child shows the parent's caller, whom it still identifies.
 */
function identityFor(parent: CallRecord, { callerId }: ChildCallRequest): string | undefined {
  return callerId === undefined ? parent.callerIdentity?.received : undefined
}

/** Returns the numbers that forwarded the call, when it shows the incoming call's caller. */
function forwardedOf(
  { direction, phoneNumberSid, plan: { document }, to: called }: CallRecord,
  { to, callerId }: ChildCallRequest,
): Pick<CallPlan, 'forwardedBy'> {
  if (document.type === 'bridge') {
    const { forwardedBy } = document.party
    return forwardedBy === undefined ? {} : { forwardedBy }
  }
  const isSentOn = direction === 'inbound' && phoneNumberSid !== undefined
  return isSentOn && callerId === undefined && to.type === 'number' ? { forwardedBy: [called] } : {}
}

function planOf(parent: CallRecord, wanted: ChildCallRequest, vault: Vault): CallPlan {
  const identity = identityFor(parent, wanted)
  const { to, screening, statusCallback, sendDigits, callReason, machineDetection } = wanted
  return {
    document: { type: 'dialed', ...(screening === undefined ? {} : { screening }) },
    timeoutSeconds: wanted.timeoutSeconds,
    ...hopsOf(parent),
    ...(statusCallback === undefined ? {} : { statusCallback }),
    ...(sendDigits === undefined ? {} : { sendDigits }),
    ...(callReason === undefined ? {} : { callReason }),
    // A peer that receives digits is known to be a machine.
    ...(machineDetection === undefined || sendDigits !== undefined ? {} : { machineDetection }),
    ...(to.type === 'number'
      ? identity === undefined
        ? {}
        : { sipHeaders: { Identity: identity } }
      : { sipHeaders: to.headers, sipTargets: to.targets.map((target) => sealed(target, vault)) }),
  }
}

/** Returns the hop counts for child calls: each child is one hop (RFC 7332 §4.1). */
export function hopsOf({
  plan: { insideHops, maxForwards },
}: CallRecord): Pick<CallPlan, 'insideHops' | 'maxForwards'> {
  return {
    ...(insideHops === undefined ? {} : { insideHops }),
    ...(maxForwards === undefined ? {} : { maxForwards: Math.max(0, maxForwards - 1) }),
  }
}

function sealed({ uri, auth, gateway }: DialTarget, vault: Vault): PlannedTarget {
  const slots = gateway === undefined ? {} : { gateway }
  if (auth === undefined) return { uri, ...slots }
  const sealedAuth = { username: auth.username, passwordSealed: vault.seal(auth.password) }
  return { uri, auth: sealedAuth, ...slots }
}
