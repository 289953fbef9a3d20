/**
 * Admits an outbound call of a customer's own equipment (a PBX). It has no markup and is bridged with the
 * number that it dials. Nothing is allocated for a call that is refused.
 */
import type { Account } from '../../../accounts/accounts.js'
import { destinationRulesOf, judgeDestination } from '../../../destinations/destination-rules.js'
import type { Clock } from '../../../platform/clock.js'
import { newSid } from '../../../platform/ids.js'
import { withoutSeparators } from '../../../platform/sip-grammar/plain-uri.js'
import { numberFromSipUser } from '../../model/address.js'
import { assertedParties, hidesCaller } from '../../model/asserted-caller.js'
import { type CallRecord, newCallRecord } from '../../model/call-record.js'
import type { EmergencyNumber } from '../../model/emergency-number.js'
import { applicationHeaders } from '../../model/invite-headers.js'
import { warning } from '../../registrar/warning.js'
import { type HoldsCallerId, mayShow } from '../../routing/caller-id-policy.js'
import type { IncomingInvite } from '../../telephony/port.js'
import type { EmergencyCalls } from '../emergency-calls.js'
import { forbidden } from './check-digest.js'
import type { Admission, Rejection } from './classify-sender.js'
import { admitEmergency } from './emergency-invite.js'

/** A call of an account's equipment to a number, before its admission. */
export interface TrunkCall {
  readonly account: Account
  /** The username of the credentials; undefined for a call admitted by its address. */
  readonly username: string | undefined
  /** The dialled number in E.164. */
  readonly dialled: string
}

export interface TrunkCallDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly holdsCallerId: HoldsCallerId
  readonly emergency: Pick<EmergencyCalls, 'judge'>
  readonly blockedPrefixes: readonly string[]
}

/** Maximum ring time in seconds; usually the caller hangs up earlier. */
const RING_SECONDS = 180

/** Returns the dialled number: from E.164, with `011`, or with ten or eleven digits. */
export function dialledNumber(user: string | undefined): string | undefined {
  const bare = withoutSeparators(user?.split(';')[0] ?? '')
  const abroad = /^011([1-9]\d{6,14})$/.exec(bare)?.[1]
  return abroad === undefined ? numberFromSipUser(bare) : `+${abroad}`
}

/** Returns the number that the equipment shows: from P-Asserted-Identity (RFC 3325), else from From. */
export function callerNumber({ headers, from }: IncomingInvite): string | undefined {
  const asserted = assertedParties(headers, 'P-Asserted-Identity')
  return [...asserted, from]
    .map(({ user }) => numberFromSipUser(user))
    .find((number) => number !== undefined)
}

/** Admits or refuses a call to an external number. */
export async function admitTrunkCall(
  invite: IncomingInvite,
  call: TrunkCall,
  deps: TrunkCallDeps,
): Promise<Admission> {
  const { account, dialled } = call
  const closed = refusalOf(dialled, account, deps.blockedPrefixes)
  if (closed !== undefined) return closed
  const shown = shownNumber(invite, account)
  const identity = shown ?? 'anonymous'
  if (!(await mayShow(account, { from: identity, to: dialled }, deps.holdsCallerId)))
    return forbidden(warning(13247, 'the caller ID is neither owned nor verified by the account'))
  const from = isPrivate(invite) ? 'anonymous' : identity
  return { type: 'take', account, call: recordOf(invite, call, from, deps.clock.now()) }
}

/** Returns the refusal of a number that the account may not call; an invalid number fails later. */
function refusalOf(
  dialled: string,
  account: Account,
  blockedPrefixes: readonly string[],
): Rejection | undefined {
  switch (judgeDestination(dialled, destinationRulesOf(account, blockedPrefixes)).type) {
    case 'blocked':
      return forbidden(warning(13225, 'the number may not be called'))
    case 'other-country':
      return forbidden(warning(13227, 'the account does not call that country'))
    case 'abroad':
      return forbidden(warning(13227, 'international calls are not switched on for the account'))
    default:
      return undefined
  }
}

/**
 * Admits or refuses a call to a number of another account of this server. The returned `call` is the
 * caller's: it has no leg itself, and costs as much as a call to that number.
 */
export async function admitOnNetCall(
  invite: IncomingInvite,
  call: TrunkCall,
  deps: TrunkCallDeps,
): Promise<Admission> {
  const admission = await admitTrunkCall(invite, call, deps)
  if (admission.type !== 'take') return admission
  const { timeoutSeconds } = admission.call.plan
  const plan = { document: { type: 'shared-leg' }, timeoutSeconds } as const
  const { from, to, sipOrigin, sipCallId, callerName, sid, accountSid } = admission.call
  const named = { from, to, sid, accountSid, plan, callerName }
  return {
    ...admission,
    call: newCallRecord(
      { ...named, direction: 'outbound-dial', sipCallId, sipOrigin },
      deps.clock.now(),
    ),
  }
}

/** Admits or refuses a call to 911 or 933, to which no limit of the account applies. */
export async function admitTrunkEmergency(
  number: EmergencyNumber,
  invite: IncomingInvite,
  { account, username }: Omit<TrunkCall, 'dialled'>,
  { clock, emergency }: TrunkCallDeps,
): Promise<Admission> {
  const shown = shownNumber(invite, account)
  const caller = { accountSid: account.sid, number: shown, domainSid: undefined }
  const admitted = await admitEmergency(number, caller, emergency)
  if (admitted.type === 'reject') return admitted
  const { sid, plan } = admitted
  const record = recordOf(invite, { account, username, dialled: number }, shown ?? '', clock.now())
  return { type: 'take', account, call: { ...record, sid, plan } }
}

/**
 * Returns the caller's number; without one, or when the username stands in its place, the account's default.
 */
export function shownNumber(
  invite: IncomingInvite,
  { profile: { callerId, username } }: Account,
): string | undefined {
  const number = callerNumber(invite)
  const isUsername = number === `+1${username}` && invite.from.user === username
  if (number !== undefined && !isUsername) return number
  return callerId === undefined ? undefined : `+1${callerId}`
}

function isPrivate({ headers, from }: IncomingInvite): boolean {
  return from.user === 'anonymous' || hidesCaller(headers)
}

function recordOf(
  invite: IncomingInvite,
  { account, dialled, username }: TrunkCall,
  from: string,
  now: number,
): CallRecord {
  const { displayName } = invite.from
  const isNamed = displayName !== undefined && from !== 'anonymous'
  return newCallRecord(
    {
      sid: newSid('CA'),
      accountSid: account.sid,
      direction: 'inbound',
      to: dialled,
      from,
      sipCallId: invite.callId,
      sipHeaders: applicationHeaders(invite.headers),
      sipOrigin: {
        domain: invite.requestUri.host,
        sourceIp: invite.source.address,
        username,
      },
      plan: {
        document: {
          type: 'bridge',
          party: { to: { type: 'number', e164: dialled }, isOwn: true },
        },
        timeoutSeconds: RING_SECONDS,
      },
      ...(isNamed ? { callerName: displayName } : {}),
    },
    now,
  )
}
