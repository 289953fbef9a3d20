/** Refuses calls before anything is stored, and reports the reason to operators. */
import type { Clock } from '../../../platform/clock.js'
import { newSid } from '../../../platform/ids.js'
import type { Logger } from '../../../platform/log.js'
import type { EventLog } from '../../events/event-log.js'
import type { Refusal, RefusedCalls } from '../../refused-calls/refused-calls.js'
import type { IncomingInvite } from '../../telephony/port.js'
import { NO_COMMON_CODEC, NO_USABLE_AUDIO } from '../../telephony/sdp.js'
import { type Rejection, refuseFailed, refuseForNow } from './classify-sender.js'

export interface RefusalsDeps {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Logger
  readonly events: Pick<EventLog, 'append'>
  readonly refusedCalls: Pick<RefusedCalls, 'note'>
}

/** Why an INVITE gets no response. */
const DROPPED = 'dropped: a scanner, or an address with too many requests or wrong passwords'

/** Minimum interval of log lines, ms: a full server refuses many calls, and one line covers them. */
const LINE_EVERY_MS = 5_000

/** Returns the refusal of an offer without usable audio (RFC 3261 §21.4.26); undefined for a usable offer. */
export function offerRefusal({ audio }: Pick<IncomingInvite, 'audio'>): Rejection | undefined {
  if (audio !== 'unusable' && audio !== 'no-common-codec') return undefined
  const isOfCodecs = audio === 'no-common-codec'
  const why = isOfCodecs ? 'no codec of ours in the offer' : 'no usable audio in the offer'
  const headers = { Warning: isOfCodecs ? NO_COMMON_CODEC : NO_USABLE_AUDIO }
  return { type: 'reject', status: 488, reason: 'Not Acceptable Here', why, headers }
}

export class Refusals {
  readonly #deps: RefusalsDeps
  #lineAt = Number.NEGATIVE_INFINITY
  #unreported = 0

  constructor(deps: RefusalsDeps) {
    this.#deps = deps
  }

  /**
   * Sends the final response. The reason goes into the log, and into the events of the account if there is
   * one.
   */
  refuse(invite: IncomingInvite, rejection: Rejection): void {
    const { status, reason, headers, why, accountSid } = rejection
    invite.reject(status, reason, headers)
    if (!isChallenge(rejection)) this.#note(invite, { status, why: why ?? reason, accountSid })
    if (why === undefined) return
    const { callId, source } = invite
    const number = rejection.number ?? invite.requestUri.user
    const { events, log } = this.#deps
    log.info({ callId, source, number, status, why, accountSid }, 'refused a call')
    if (accountSid === undefined) return
    const detail = { direction: 'sent', message: `${String(status)} ${reason}`, number, why }
    events.append({ callSid: newSid('CA'), accountSid, kind: 'sip', detail })
  }

  /** Refuses a call that this server cannot accept now, with 503 and Retry-After. */
  refuseForNow(invite: IncomingInvite, why: string): void {
    refuseForNow(invite)
    this.#note(invite, { status: 503, why })
    const now = this.#deps.clock.monotonic()
    this.#unreported += 1
    if (now - this.#lineAt < LINE_EVERY_MS) return
    this.#deps.log.warn(
      { callId: invite.callId, calls: this.#unreported, why },
      'refused calls for now',
    )
    this.#lineAt = now
    this.#unreported = 0
  }

  /** Refuses a call that failed inside the server. */
  refuseFailed(invite: IncomingInvite, err: unknown): void {
    this.#deps.log.error({ err, callId: invite.callId }, 'could not accept an incoming call')
    const status = refuseFailed(invite, err)
    this.#note(invite, { status, why: 'the server failed; its log has the cause' })
  }

  /** Sends no response. */
  drop(invite: IncomingInvite): void {
    invite.drop()
    this.#note(invite, { status: 0, why: DROPPED })
  }

  #note(
    { source, from, requestUri, callId, userAgent = '' }: IncomingInvite,
    refusal: Pick<Refusal, 'status' | 'why' | 'accountSid'>,
  ): void {
    const { address, port, transport } = source
    const [fromUri, called] = [from.uri, requestUri.uri]
    const invite = { address, port, transport, fromUri, called, callId, userAgent }
    this.#deps.refusedCalls.note({ ...invite, ...refusal })
  }
}

/** Adds the reason in words to a rejection, and the account if known, whose events then contain it. */
export function explained<A extends { readonly type: string }>(
  admission: A | Rejection,
  accountSid?: string,
): A | Rejection {
  if (!isRejection(admission) || isChallenge(admission)) return admission
  const whose = admission.accountSid ?? accountSid
  const { Warning: warned } = admission.headers ?? {}
  // `399 trunkline "13225 the number may not be called"`
  const text = typeof warned === 'string' ? /"([^"]*)"/.exec(warned)?.[1] : undefined
  return {
    ...admission,
    why: admission.why ?? text ?? admission.reason,
    ...(whose === undefined ? {} : { accountSid: whose }),
  }
}

function isRejection(admission: { readonly type: string }): admission is Rejection {
  return admission.type === 'reject'
}

/** A digest challenge is not a refusal yet (RFC 3261 §22). */
function isChallenge({ status }: Rejection): boolean {
  return status === 401 || status === 407
}
