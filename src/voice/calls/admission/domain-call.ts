/**
 * Admits a call at a SIP domain of an account by the addresses and credentials in the domain's lists. Nothing
 * is allocated for a call that is refused.
 */
import { newSid } from '../../../platform/ids.js'
import { plainUri } from '../../../platform/sip-grammar/plain-uri.js'
import type { EventLog } from '../../events/event-log.js'
import { numberFromSipUser } from '../../model/address.js'
import { type CallPlan, DEFAULT_STATUS_EVENTS } from '../../model/call-plan.js'
import { type CallRecord, newCallRecord } from '../../model/call-record.js'
import { emergencyNumberIn } from '../../model/emergency-number.js'
import { applicationHeaders } from '../../model/invite-headers.js'
import { secureWarning } from '../../registrar/secure-transport.js'
import { warning } from '../../registrar/warning.js'
import type { SipDomain, SipDomainVoice } from '../../sip-domains/sip-domain.js'
import type { IncomingInvite } from '../../telephony/port.js'
import type { EmergencyCalls } from '../emergency-calls.js'
import { askedOfInvite, forbidden } from './check-digest.js'
import type { Admission, Rejection, SenderRules } from './classify-sender.js'
import { authenticateAt, type DomainAuthDeps } from './domain-authentication.js'
import { admitEmergency } from './emergency-invite.js'
import { CLAIMED_FROM, type ProvenCaller, provenCaller } from './proven-caller.js'
import { offerRefusal } from './refusals.js'

export interface DomainCallDeps extends Pick<SenderRules, 'clock'>, DomainAuthDeps {
  readonly emergency: Pick<EmergencyCalls, 'judge'>
  readonly events: Pick<EventLog, 'append'>
}

const TIMEOUT_SECONDS = 60

export async function admitAtDomain(
  invite: IncomingInvite,
  domain: SipDomain,
  deps: DomainCallDeps,
): Promise<Admission> {
  const account = await deps.accounts.find(domain.accountSid)
  if (account?.status !== 'active')
    return { ...forbidden(), why: 'the account of the SIP domain is not active' }
  const unsafe = secureWarning(domain, invite.source.transport)
  if (unsafe !== undefined) return forbidden(unsafe)
  const silent = audioRefusal(invite, domain)
  if (silent !== undefined) return silent
  const known = await authenticateAt(askedOfInvite(invite), domain, deps)
  if (known.type !== 'known') return known
  const { username } = known
  const caller = provenCaller(invite.from, username, domain)
  const number = emergencyNumberIn(invite.requestUri)
  if (number !== undefined && domain.emergencyCallingEnabled) {
    // An emergency call is not refused for an unproven number: it can only be another one of the same
    // account.
    const shown = numberFromSipUser(caller.user) ?? numberFromSipUser(invite.from.user)
    const asked = { accountSid: account.sid, number: shown, domainSid: domain.sid }
    const admitted = await admitEmergency(number, asked, deps.emergency)
    if (admitted.type === 'reject') return admitted
    const { sid, plan } = admitted
    const call = callOf(invite, domain, { sid, plan, username, caller }, deps)
    return { type: 'take', call, account, codecs: domain.codecs }
  }
  if (domain.voice.url === undefined) {
    const why = `the SIP domain ${domain.domainName} has no voice URL`
    return { type: 'reject', status: 480, reason: 'Temporarily Unavailable', why }
  }
  const plan = planOf(domain.voice, domain.voice.url)
  const call = callOf(invite, domain, { sid: newSid('CA'), plan, username, caller }, deps)
  return { type: 'take', call, account, codecs: domain.codecs }
}

function audioRefusal(invite: IncomingInvite, { secure }: SipDomain): Rejection | undefined {
  if (secure && invite.audio !== 'secure') return withoutSrtp()
  return offerRefusal(invite)
}

/** RFC 3261 §21.4.26: the caller did not offer what the domain requires. */
function withoutSrtp(): Rejection {
  const headers = warning(32208, 'this domain takes calls with SRTP only')
  return { type: 'reject', status: 488, reason: 'Not Acceptable Here', headers }
}

function callOf(
  invite: IncomingInvite,
  domain: SipDomain,
  {
    sid,
    plan,
    username,
    caller,
  }: {
    readonly sid: string
    readonly plan: CallPlan
    readonly username: string | undefined
    readonly caller: ProvenCaller
  },
  { clock, events }: DomainCallDeps,
): CallRecord {
  const { claimed } = caller
  const { accountSid } = domain
  // The display name belongs to the party that From claims, so it is omitted for an unproven one.
  const displayName = claimed === undefined ? invite.from.displayName : undefined
  const from = plainUri(caller.uri)
  if (claimed !== undefined)
    events.append({ callSid: sid, accountSid, kind: 'sip', detail: { claimedFrom: claimed, from } })
  return newCallRecord(
    {
      sid,
      accountSid,
      direction: 'inbound',
      to: plainUri(invite.requestUri.uri),
      from,
      sipCallId: invite.callId,
      sipHeaders: applicationHeaders(headersWith(claimed, invite.headers)),
      sipOrigin: {
        domain: domain.domainName,
        sourceIp: invite.source.address,
        domainSid: domain.sid,
        username,
      },
      plan,
      ...(displayName === undefined ? {} : { callerName: displayName }),
    },
    clock.now(),
  )
}

/** Returns the INVITE's headers, with our X-Claimed-From replacing any that the caller sent. */
function headersWith(
  claimed: string | undefined,
  headers: IncomingInvite['headers'],
): IncomingInvite['headers'] {
  const others = headers.filter(({ name }) => name.toLowerCase() !== CLAIMED_FROM.toLowerCase())
  return claimed === undefined ? others : [{ name: CLAIMED_FROM, value: claimed }, ...others]
}

function planOf(voice: SipDomainVoice, url: string): CallPlan {
  const { fallbackUrl, statusCallback } = voice
  return {
    document: {
      type: 'url',
      url,
      method: voice.method,
      fallbackMethod: voice.fallbackMethod,
      ...(fallbackUrl === undefined ? {} : { fallbackUrl }),
    },
    timeoutSeconds: TIMEOUT_SECONDS,
    ...(statusCallback === undefined
      ? {}
      : {
          statusCallback: {
            url: statusCallback,
            method: voice.statusCallbackMethod,
            events: DEFAULT_STATUS_EVENTS,
          },
        }),
  }
}
