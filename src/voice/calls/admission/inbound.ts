import { newSid } from '../../../platform/ids.js'
import { type Answering, answeringOf } from '../../applications/answering.js'
import type { CalledNumber, NumberBindings } from '../../applications/number-bindings.js'
import { DEFAULT_CARRIER_SETTINGS } from '../../carriers/carrier.js'
import { numberFrom } from '../../carriers/number-format.js'
import { type CallRecord, newCallRecord } from '../../model/call-record.js'
import { applicationHeaders, forwardedFrom } from '../../model/invite-headers.js'
import type { CallerVerification } from '../../stir/caller-verification.js'
import type { IncomingInvite } from '../../telephony/port.js'
import { admitAtDomain, type DomainCallDeps } from './domain-call.js'
import { UNKNOWN_DOMAIN } from './host-name.js'
import { type Admission, judgeSender, type SenderRules } from './judge-sender.js'

export interface AdmissionDeps extends SenderRules, DomainCallDeps {
  readonly numbers: Pick<NumberBindings, 'called'>
  readonly callerVerification: Pick<CallerVerification, 'verify'>
}

const INBOUND_TIMEOUT_SECONDS = 60
/**
 * The extra cost of a call to a number that does not exist: a source that tries all numbers gets a
 * tenth of the rate.
 */
const FUTILE_COSTS = 9

export async function admit(invite: IncomingInvite, deps: AdmissionDeps): Promise<Admission> {
  const { source, userAgent, from, to } = invite
  const names = [userAgent, from.displayName, from.user, to.user]
  const sender = await judgeSender(
    {
      address: source.address,
      names,
      requestUri: invite.requestUri.uri,
      // A carrier's call is for a number, whatever host it names, unless it claims to come from that
      // very domain, as a softphone on the carrier's address would.
      meansDomain: ({ domainName }) => from.host.toLowerCase() === domainName,
    },
    deps,
    deps.sip.domains,
  )
  if (sender.type === 'reject' || sender.type === 'drop') return sender
  if (sender.type === 'softphone') return await admitAtDomain(invite, sender.domain, deps)
  if (sender.type === 'stranger') {
    deps.log.info({ source, callId: invite.callId }, 'a call from an unknown address was refused')
    return sender.namesHost
      ? { type: 'reject', status: 404, reason: 'Not Found', headers: UNKNOWN_DOMAIN }
      : { type: 'reject', status: 403, reason: 'Forbidden' }
  }
  return await admitToNumber(invite, deps)
}

/** Admits a carrier's call to a number of an account. */
async function admitToNumber(invite: IncomingInvite, deps: AdmissionDeps): Promise<Admission> {
  const { source } = invite
  const carrier = await deps.carriers.byAddress(source.address)
  const { numbers } = carrier?.settings ?? DEFAULT_CARRIER_SETTINGS
  const e164 = numberFrom(invite.requestUri.user, numbers)
  // It is read anew for each call, so that a change holds from the next call on.
  const called = e164 === undefined ? undefined : await deps.numbers.called(e164)
  if (called === undefined) {
    deps.sources.carrier.charge(source.address, FUTILE_COSTS, deps.clock.monotonic())
    return { type: 'reject', status: 404, reason: 'Not Found' }
  }
  const account = await deps.accounts.find(called.number.accountSid)
  if (account?.status !== 'active') {
    deps.log.info(
      { number: called.number.e164 },
      'refused a call to a number of a disabled account',
    )
    return { type: 'reject', status: 480, reason: 'Temporarily Unavailable' }
  }
  const answering = answeringOf(called, account.settings.voice)
  if (answering === undefined) {
    deps.log.info({ number: called.number.e164 }, 'refused a call to a number without a voice URL')
    return { type: 'reject', status: 480, reason: 'Temporarily Unavailable' }
  }
  const from = numberFrom(invite.from.user, numbers) ?? invite.from.uri
  const now = deps.clock.now()
  const identity = await deps.callerVerification.verify(headerOf(invite), {
    from,
    to: called.number.e164,
    atMs: now,
  })
  const call = inboundCall(invite, from, called, answering, now)
  return { type: 'take', call: { ...call, callerIdentity: identity }, account }
}

/** Reads the INVITE's headers by their names in lower case. */
function headerOf({ headers }: IncomingInvite): (name: string) => string | undefined {
  return (wanted) => headers.find(({ name }) => name.toLowerCase() === wanted)?.value
}

function inboundCall(
  invite: IncomingInvite,
  from: string,
  { number }: CalledNumber,
  answering: Answering,
  now: number,
): CallRecord {
  const forwarder = forwardedFrom(invite.headers)
  return newCallRecord(
    {
      sid: newSid('CA'),
      accountSid: number.accountSid,
      direction: 'inbound',
      to: number.e164,
      from,
      phoneNumberSid: number.sid,
      sipCallId: invite.callId,
      sipHeaders: applicationHeaders(invite.headers),
      sipOrigin: { domain: invite.requestUri.host, sourceIp: invite.source.address },
      ...(forwarder === undefined ? {} : { forwardedFrom: forwarder }),
      plan: { ...answering, timeoutSeconds: INBOUND_TIMEOUT_SECONDS },
      ...(invite.from.displayName === undefined ? {} : { callerName: invite.from.displayName }),
    },
    now,
  )
}
