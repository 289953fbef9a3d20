import type { Accounts } from '../../../accounts/accounts.js'
import { E164 } from '../../../destinations/phone-number.js'
import type { Clock } from '../../../platform/clock.js'
import { newSid } from '../../../platform/ids.js'
import type { Logger } from '../../../platform/log.js'
import { plainUri } from '../../../platform/sip-grammar/plain-uri.js'
import type { CalledNumber } from '../../applications/number-bindings.js'
import { type CarrierSettings, DEFAULT_CARRIER_SETTINGS } from '../../carriers/carrier.js'
import { numberFrom } from '../../carriers/number-format.js'
import { assertedParties, hidesCaller } from '../../model/asserted-caller.js'
import type { CallPlan } from '../../model/call-plan.js'
import { type CallRecord, newCallRecord } from '../../model/call-record.js'
import { emergencyNumberIn, isEmergencyService } from '../../model/emergency-number.js'
import { applicationHeaders, forwardedFrom } from '../../model/invite-headers.js'
import type { CallerVerification } from '../../stir/caller-verification.js'
import type { IncomingInvite, LoopbackHops } from '../../telephony/port.js'
import {
  type Admission,
  classifySender,
  type SenderRules,
  UNKNOWN_DOMAIN,
} from './classify-sender.js'
import { admitAtDomain, type DomainCallDeps } from './domain-call.js'
import {
  destinationOf,
  type NumberDestination,
  type NumberDestinationDeps,
} from './number-destination.js'
import { explained, offerRefusal } from './refusals.js'
import { type TrunkAccountDeps, trunkSender } from './trunk-account.js'
import {
  admitOnNetCall,
  admitTrunkCall,
  admitTrunkEmergency,
  callerNumber,
  dialledNumber,
  shownNumber,
  type TrunkCall,
  type TrunkCallDeps,
} from './trunk-call.js'

export interface AdmissionDeps
  extends SenderRules,
    DomainCallDeps,
    TrunkAccountDeps,
    TrunkCallDeps,
    NumberDestinationDeps,
    CallerNameDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly accounts: Pick<Accounts, 'find' | 'findByUsername'>
  readonly callerVerification: Pick<CallerVerification, 'verify'>
  /** Prefixes such as `+1900` that no account may call. */
  readonly blockedPrefixes: readonly string[]
}

const INBOUND_TIMEOUT_SECONDS = 60
/**
 * Extra cost of a call to a number that does not exist: a source that tries all numbers gets a tenth of the
 * rate.
 */
const FUTILE_COSTS = 9
/** Maximum number of loopback calls in a chain in which each call placed the next. */
const MAX_HOPS = 5

interface CarrierCaller {
  /** The caller as applications see it. */
  readonly from: string
  /** The caller as the carrier asserts it, even if the caller hides it. */
  readonly identity: string
  readonly displayName: string | undefined
}

/** A call whose caller name may be looked up. */
interface NamedCall {
  readonly sid: string
  readonly from: string
}

interface CallerNameDeps extends Pick<NumberDestinationDeps, 'numberSettings'> {
  /**
   * Looks up the caller's name; the account of the called number pays. Undefined when no name is found in
   * time, or the balance is too low.
   */
  readonly callerNameFor: (
    call: NamedCall & { readonly accountSid: string },
  ) => Promise<string | undefined>
  readonly log: Logger
}

/** Admits or refuses a call. Calls that it is forwarded to have one hop less (RFC 7332 §4.1). */
export async function admit(invite: IncomingInvite, deps: AdmissionDeps): Promise<Admission> {
  const admission = await judge(invite, deps)
  const { maxForwards } = invite
  if (admission.type !== 'take' || maxForwards === undefined) return admission
  const { call } = admission
  const { document } = call.plan
  if (maxForwards === 0 && document.type === 'bridge') {
    const why = 'the call was led on too often'
    const { accountSid } = call
    return { type: 'reject', status: 483, reason: 'Too Many Hops', why, accountSid }
  }
  return { ...admission, call: { ...call, plan: { ...call.plan, maxForwards } } }
}

async function judge(invite: IncomingInvite, deps: AdmissionDeps): Promise<Admission> {
  const { loopback, source, userAgent, from, to } = invite
  if (loopback !== undefined) return explained(await admitLoopback(invite, loopback, deps))
  const names = [userAgent, from.displayName, from.user, to.user]
  const sender = await classifySender(
    {
      address: source.address,
      names,
      requestUri: addressedUri(invite),
      // A carrier's call is for a number, whichever host it names, unless From has the same domain: then it
      // is a softphone at the carrier's address.
      meansDomain: ({ domainName }) => from.host.toLowerCase() === domainName,
    },
    deps,
    deps.sip.domains,
  )
  switch (sender.type) {
    case 'reject':
    case 'drop':
      return sender
    case 'softphone':
      return explained(await admitAtDomain(invite, sender.domain, deps))
    case 'carrier':
      return await admitFromCarrier(invite, deps)
    case 'trunk':
      return await admitFromTrunk(invite, false, deps)
    case 'stranger':
      return await admitFromTrunk(invite, sender.namesHost, deps)
  }
}

/**
 * Returns the URI whose host decides the recipient. RFC 6881 §9.2: a service URN has no host, so From is
 * used.
 */
function addressedUri({ requestUri: { uri }, from }: IncomingInvite): string {
  return isEmergencyService(uri) ? from.uri : uri
}

/** Admits a call of an account's own equipment, which is identified by its address or its credentials. */
async function admitFromTrunk(
  invite: IncomingInvite,
  namesHost: boolean,
  deps: AdmissionDeps,
): Promise<Admission> {
  const sender = await trunkSender(invite, callerNumber(invite), deps)
  if (sender.type === 'stranger') {
    const known = 'the address is of no carrier and on no access list'
    return namesHost
      ? {
          type: 'reject',
          status: 404,
          reason: 'Not Found',
          headers: UNKNOWN_DOMAIN,
          why: `there is no such SIP domain, and ${known}`,
        }
      : { type: 'reject', status: 403, reason: 'Forbidden', why: known }
  }
  if (sender.type !== 'account') return explained(sender)
  const { account, username } = sender
  return explained(await admitFromAccount(invite, { account, username }, deps), account.sid)
}

/** Admits a call of equipment whose account is known. */
async function admitFromAccount(
  invite: IncomingInvite,
  { account, username }: Pick<TrunkCall, 'account' | 'username'>,
  deps: AdmissionDeps,
): Promise<Admission> {
  const unusable = offerRefusal(invite)
  if (unusable !== undefined) return unusable
  const number = emergencyNumberIn(invite.requestUri)
  if (number !== undefined)
    return await admitTrunkEmergency(number, invite, { account, username }, deps)
  const dialled = dialledNumber(invite.requestUri.user)
  if (dialled === undefined)
    return {
      type: 'reject',
      status: 404,
      reason: 'Not Found',
      why: 'the dialled text is not a number',
    }
  const called = await deps.numbers.called(dialled)
  const call = { account, username, dialled }
  if (called === undefined) return await admitTrunkCall(invite, call, deps)
  // A number of this server needs no carrier: it is treated as an incoming call.
  if (called.number.accountSid !== account.sid)
    return await admitBetweenAccounts(invite, call, called, deps)
  const from = shownNumber(invite, account) ?? 'anonymous'
  return await admitToNumber(invite, called, from, deps)
}

/** Admits a call between two accounts, if both of them admit it. */
async function admitBetweenAccounts(
  invite: IncomingInvite,
  call: TrunkCall,
  called: CalledNumber,
  deps: AdmissionDeps,
): Promise<Admission> {
  const placed = await admitOnNetCall(invite, call, deps)
  if (placed.type !== 'take') return placed
  const { from } = placed.call
  // For a hidden caller the display name is omitted too.
  const caller = from === 'anonymous' ? { ...invite.from, displayName: undefined } : invite.from
  const taken = await admitToNumber({ ...invite, from: caller }, called, from, deps)
  return taken.type === 'take' ? { ...taken, outgoing: placed } : taken
}

/** Admits a carrier's call to a number of an account. */
async function admitFromCarrier(invite: IncomingInvite, deps: AdmissionDeps): Promise<Admission> {
  const { source } = invite
  const unusable = offerRefusal(invite)
  if (unusable !== undefined) return unusable
  const carrier = await deps.carriers.byAddress(source.address)
  const settings = carrier?.settings ?? DEFAULT_CARRIER_SETTINGS
  const e164 = numberFrom(invite.requestUri.user, settings.numbers)
  // Read for each call, so that a change applies from the next call on.
  const called = e164 === undefined ? undefined : await deps.numbers.called(e164)
  if (called === undefined) {
    deps.sources.carrier.charge(source.address, FUTILE_COSTS, deps.clock.monotonic())
    const why = e164 === undefined ? 'the dialled text is not a number' : 'nobody holds the number'
    return { type: 'reject', status: 404, reason: 'Not Found', why }
  }
  const { from, identity, displayName } = carrierCaller(invite, settings)
  const named = { ...invite, from: { ...invite.from, displayName } }
  const admission = await admitToNumber(named, called, from, deps)
  if (admission.type !== 'take') return admission
  const callerIdentity = await deps.callerVerification.verify(headerOf(invite), {
    from: identity,
    to: called.number.e164,
    atMs: deps.clock.now(),
  })
  const call = { ...admission.call, callerIdentity }
  return { ...admission, call, carrier: carrier?.name }
}

/** Returns the caller; `from` is `anonymous` when the caller is hidden. */
function carrierCaller(
  { headers, from }: Pick<IncomingInvite, 'headers' | 'from'>,
  { numbers, callerId: { header } }: Pick<CarrierSettings, 'numbers' | 'callerId'>,
): CarrierCaller {
  const asserted = header === 'From' ? [] : assertedParties(headers, header)
  const isNumber = ({ user }: { readonly user?: string | undefined }) =>
    numberFrom(user, numbers) !== undefined
  const party = asserted.find(isNumber) ?? asserted[0] ?? from
  const identity = numberFrom(party.user, numbers) ?? plainUri(party.uri)
  if (hidesCaller(headers)) return { from: 'anonymous', identity, displayName: undefined }
  return { from: identity, identity, displayName: party.displayName ?? from.displayName }
}

/** Admits a loopback call, which this server placed, to a number of an account. */
async function admitLoopback(
  invite: IncomingInvite,
  { hops }: LoopbackHops,
  deps: AdmissionDeps,
): Promise<Admission> {
  const { from, requestUri } = invite
  const called = await deps.numbers.called(requestUri.user ?? '')
  if (called === undefined)
    return { type: 'reject', status: 404, reason: 'Not Found', why: 'nobody holds the number' }
  const { accountSid, e164: number } = called.number
  if (hops > MAX_HOPS) {
    const why = 'numbers of this server call each other in a circle'
    return { type: 'reject', status: 482, reason: 'Loop Detected', why, accountSid, number }
  }
  const admission = await admitToNumber(invite, called, from.user ?? 'anonymous', deps)
  if (admission.type !== 'take') return admission
  const { call } = admission
  const plan = { ...call.plan, insideHops: hops }
  return { ...admission, call: { ...call, plan, sipOrigin: undefined } }
}

/** Returns a function that reads an INVITE's header by its name in lower case. */
function headerOf({ headers }: IncomingInvite): (name: string) => string | undefined {
  return (wanted) => headers.find(({ name }) => name.toLowerCase() === wanted)?.value
}

async function admitToNumber(
  invite: IncomingInvite,
  called: CalledNumber,
  from: string,
  deps: AdmissionDeps,
): Promise<Admission> {
  const { accountSid, e164: number } = called.number
  const account = await deps.accounts.find(accountSid)
  if (account?.status !== 'active') {
    const why = 'the account of the number is not active'
    return {
      type: 'reject',
      status: 480,
      reason: 'Temporarily Unavailable',
      why,
      accountSid,
      number,
    }
  }
  const destination = await destinationOf(called, account, deps)
  if (destination.type === 'refused') {
    return refusalOf(destination, called)
  }
  const plan = planTo(destination)
  const caller = { sid: newSid('CA'), from }
  const callerName = await callerNameOf(caller, invite, called, deps)
  const call = inboundCall(invite, { ...caller, callerName }, called, plan, deps.clock.now())
  return { type: 'take', call, account }
}

/**
 * Resolves with the caller's name: from a lookup if the called number has that enabled, else the INVITE's
 * display name. A failed lookup does not delay the call.
 */
async function callerNameOf(
  { sid, from }: NamedCall,
  { from: { displayName } }: Pick<IncomingInvite, 'from'>,
  { number }: CalledNumber,
  deps: CallerNameDeps,
): Promise<string | undefined> {
  // A hidden caller, or one without a number, has no name to look up.
  if (!E164.test(from)) return displayName
  const { looksUpCallerName } = await deps.numberSettings(number.sid)
  if (!looksUpCallerName) return displayName
  try {
    const { accountSid } = number
    return (await deps.callerNameFor({ sid, accountSid, from })) ?? displayName
  } catch (err) {
    deps.log.warn({ err, callSid: sid, number: number.e164 }, 'could not look up a caller name')
    return displayName
  }
}

function planTo(
  destination: Exclude<NumberDestination, { readonly type: 'refused' }>,
): Omit<CallPlan, 'timeoutSeconds'> {
  if (destination.type === 'application') return destination.answering
  const { type: _, ...party } = destination
  return { document: { type: 'bridge', party: { ...party, isOwn: false } } }
}

/** Returns the refusal of a call to a number without a usable destination. */
function refusalOf(
  { status, reason, why }: Extract<NumberDestination, { readonly type: 'refused' }>,
  { number: { accountSid, e164: number } }: CalledNumber,
): Admission {
  // RFC 3261 §20.43: 304, media type not available.
  const headers = status === 488 ? { headers: { Warning: `304 trunkline "${why}"` } } : {}
  return { type: 'reject', status, reason, why, accountSid, number, ...headers }
}

function inboundCall(
  invite: IncomingInvite,
  caller: Pick<CallRecord, 'sid' | 'from' | 'callerName'>,
  { number }: CalledNumber,
  plan: Omit<CallPlan, 'timeoutSeconds'>,
  now: number,
): CallRecord {
  const forwarder = forwardedFrom(invite.headers)
  return newCallRecord(
    {
      sid: caller.sid,
      accountSid: number.accountSid,
      direction: 'inbound',
      to: number.e164,
      from: caller.from,
      phoneNumberSid: number.sid,
      sipCallId: invite.callId,
      sipHeaders: applicationHeaders(invite.headers),
      sipOrigin: { domain: invite.requestUri.host, sourceIp: invite.source.address },
      ...(forwarder === undefined ? {} : { forwardedFrom: forwarder }),
      plan: { ...plan, timeoutSeconds: INBOUND_TIMEOUT_SECONDS },
      ...(caller.callerName === undefined ? {} : { callerName: caller.callerName }),
    },
    now,
  )
}
