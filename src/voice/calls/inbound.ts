import type { PhoneNumber, PhoneNumbers } from '../../numbers/phone-numbers.js'
import { newSid } from '../../platform/ids.js'
import type { Logger } from '../../platform/log.js'
import { isScannerName } from '../../platform/scanners.js'
import type { SourceLimit } from '../../platform/source-limit.js'
import { numberFromSipUser } from '../model/address.js'
import { type CallPlan, DEFAULT_STATUS_EVENTS } from '../model/call-plan.js'
import { type CallRecord, newCallRecord } from '../model/call-record.js'
import { applicationHeaders, forwardedFrom } from '../model/invite-headers.js'
import type { Carriers } from '../routing/carriers.js'
import type { IncomingInvite } from '../telephony/port.js'

/** What a caller from outside gets before anything is allocated for it. */
export type Admission =
  | { readonly type: 'take'; readonly call: CallRecord }
  | {
      readonly type: 'reject'
      readonly status: number
      readonly reason: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** Not a byte: an answer would tell a scanner that somebody is here. */
  | { readonly type: 'drop' }

export interface AdmissionDeps {
  readonly carriers: Carriers
  readonly numbers: PhoneNumbers
  readonly log: Logger
  readonly now: () => number
  /** What one address may send, by whether it is a carrier's. */
  readonly sources: Readonly<Record<'carrier' | 'stranger', SourceLimit>>
}

const INBOUND_TIMEOUT_SECONDS = 60
const RETRY_AFTER_SECONDS = '5'
/** A call to nobody costs as much as ten: who tries all numbers is served a tenth. */
const FUTILE_COSTS = 9

export async function admit(invite: IncomingInvite, deps: AdmissionDeps): Promise<Admission> {
  const { source } = invite
  if (isScanner(invite)) {
    deps.log.debug({ source, userAgent: invite.userAgent }, 'a scanner was ignored')
    return { type: 'drop' }
  }
  const carrier = await deps.carriers.byAddress(source.address)
  const limited = limitSource(invite, carrier === undefined ? 'stranger' : 'carrier', deps)
  if (limited !== undefined) return limited
  if (carrier === undefined) {
    deps.log.info({ source, callId: invite.callId }, 'a call from an unknown address was refused')
    return { type: 'reject', status: 403, reason: 'Forbidden' }
  }
  const e164 = numberFromSipUser(invite.requestUri.user)
  const number = e164 === undefined ? undefined : await deps.numbers.find(e164)
  if (number === undefined) {
    deps.sources.carrier.charge(source.address, FUTILE_COSTS, performance.now())
    return { type: 'reject', status: 404, reason: 'Not Found' }
  }
  if (number.voiceUrl === undefined) {
    deps.log.info({ number: number.e164 }, 'a number without a voice URL was called')
    return { type: 'reject', status: 480, reason: 'Temporarily Unavailable' }
  }
  return { type: 'take', call: inboundCall(invite, number, number.voiceUrl, deps.now()) }
}

/** Signalling servers may have no such limit of their own, and nobody else can tell carriers. */
function limitSource(
  { source }: IncomingInvite,
  kind: 'carrier' | 'stranger',
  { sources, log }: AdmissionDeps,
): Admission | undefined {
  const verdict = sources[kind].judge(source.address, performance.now())
  if (verdict === 'admit') return undefined
  if (verdict === 'ignore') return { type: 'drop' }
  log.warn({ source, kind }, 'an address calls more often than it may')
  const headers = { 'Retry-After': RETRY_AFTER_SECONDS }
  return { type: 'reject', status: 503, reason: 'Service Unavailable', headers }
}

function isScanner({ userAgent, from, to }: IncomingInvite): boolean {
  return isScannerName([userAgent, from.displayName, from.user, to.user])
}

function inboundCall(
  invite: IncomingInvite,
  number: PhoneNumber,
  voiceUrl: string,
  now: number,
): CallRecord {
  const from = numberFromSipUser(invite.from.user) ?? invite.from.uri
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
      plan: planOf(number, voiceUrl),
      ...(invite.from.displayName === undefined ? {} : { callerName: invite.from.displayName }),
    },
    now,
  )
}

function planOf(number: PhoneNumber, voiceUrl: string): CallPlan {
  const { statusCallback, voiceFallbackUrl } = number
  return {
    document: {
      type: 'url',
      url: voiceUrl,
      method: number.voiceMethod,
      fallbackMethod: number.voiceFallbackMethod,
      ...(voiceFallbackUrl === undefined ? {} : { fallbackUrl: voiceFallbackUrl }),
    },
    timeoutSeconds: INBOUND_TIMEOUT_SECONDS,
    ...(statusCallback === undefined
      ? {}
      : {
          statusCallback: {
            url: statusCallback,
            method: number.statusCallbackMethod,
            events: DEFAULT_STATUS_EVENTS,
          },
        }),
  }
}
