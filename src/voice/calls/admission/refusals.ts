/** Refuses callers before anything is stored of their calls, and says why where an operator looks. */
import type { Clock } from '../../../platform/clock.js'
import { newSid } from '../../../platform/ids.js'
import type { Logger } from '../../../platform/log.js'
import type { EventLog } from '../../events/event-log.js'
import type { IncomingInvite } from '../../telephony/port.js'
import { NO_COMMON_CODEC, NO_USABLE_AUDIO } from '../../telephony/sdp.js'
import { type Rejection, refuseForNow } from './classify-sender.js'

export interface RefusalsDeps {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Logger
  readonly events: Pick<EventLog, 'append'>
}

/** A server that is full refuses many calls: one line in so long tells of them all. */
const LINE_EVERY_MS = 5_000

/** The refusal of an offer without audio that can be answered (RFC 3261 §21.4.26); else undefined. */
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
  #untold = 0

  constructor(deps: RefusalsDeps) {
    this.#deps = deps
  }

  /** Sends the final response. The log says why, and so do the events of the account that it names. */
  refuse(invite: IncomingInvite, rejection: Rejection): void {
    const { status, reason, headers, why, accountSid } = rejection
    invite.reject(status, reason, headers)
    if (why === undefined) return
    const { callId, source } = invite
    const number = rejection.number ?? invite.requestUri.user
    const { events, log } = this.#deps
    log.info({ callId, source, number, status, why, accountSid }, 'refused a call')
    if (accountSid === undefined) return
    const detail = { direction: 'sent', message: `${String(status)} ${reason}`, number, why }
    events.append({ callSid: newSid('CA'), accountSid, kind: 'sip', detail })
  }

  /** Refuses a call that this server cannot take now, with 503 and Retry-After. */
  refuseForNow(invite: IncomingInvite, why: string): void {
    refuseForNow(invite)
    const now = this.#deps.clock.monotonic()
    this.#untold += 1
    if (now - this.#lineAt < LINE_EVERY_MS) return
    this.#deps.log.warn(
      { callId: invite.callId, calls: this.#untold, why },
      'refused calls for now',
    )
    this.#lineAt = now
    this.#untold = 0
  }
}

/** The rejection with its reason in words, for those who watch the account when it is known. */
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

/** A caller that is asked for its password is not refused yet (RFC 3261 §22). */
function isChallenge({ status }: Rejection): boolean {
  return status === 401 || status === 407
}
