/** Maps the SIP end of a leg to the eight statuses of a call. */

import type { LegEnd } from '../telephony/port.js'
import type { EndedStatus } from './call-record.js'

/** Returns the call status for a final response to our INVITE. */
export function statusOfRejection(
  sipStatus: number,
): Exclude<EndedStatus, 'completed' | 'canceled'> {
  switch (sipStatus) {
    case 486: // Busy Here
    case 600: // Busy Everywhere
      return 'busy'
    case 408: // Request Timeout: the peer let it ring
    case 480: // Temporarily Unavailable
    case 487: // Request Terminated by the peer
    case 603: // Decline
      return 'no-answer'
    default:
      return 'failed'
  }
}

/** Returns the status of a call without a conversation. Its 200 may have been sent, but without an ACK. */
export function statusOfUnanswered(end: LegEnd): EndedStatus {
  switch (end.cause) {
    case 'rejected':
      return statusOfRejection(end.sipStatus)
    case 'no-answer':
      return 'no-answer'
    case 'canceled':
      return 'canceled'
    case 'no-ack':
    case 'remote-hangup':
    case 'local-hangup':
      return 'completed'
    case 'unreachable':
    case 'media-lost':
    case 'signaling-lost':
      return 'failed'
  }
}

/**
 * Returns the status of a call that we ended before we knew of its answer. If a 200 was already sent, the
 * call counts as answered, with or without an ACK (RFC 3261 §13.3.1.4).
 */
export function statusOfTakenBack(end: LegEnd): EndedStatus {
  return statusOfUnanswered(end) === 'completed' ? 'completed' : 'canceled'
}

/** The reason of a call that was never dialled, because it has no route. */
export const NO_ROUTE = 'no route'

export interface EndWarning {
  readonly code: 32016 | 32022
  readonly message: string
}

/**
 * Returns the event log's warning for an end that the status alone does not explain. `hasRung` is also true
 * for an answered call.
 */
export function warningOfEnd(end: LegEnd, hasRung: boolean): EndWarning | undefined {
  if (end.cause === 'no-ack') return { code: 32022, message: 'our answer was never acknowledged' }
  return isSilence(end) && !hasRung
    ? { code: 32016, message: 'the network did not say in time that it rings' }
    : undefined
}

/** True when no final response came. Our own stack generates a 408 then (RFC 3261 §17.1.1.2). */
function isSilence({ cause, sipStatus }: LegEnd): boolean {
  return cause === 'no-answer' || (cause === 'unreachable' && sipStatus === 408)
}

/** Returns why our own stack made the final status of a call; undefined when a peer may have sent it. */
export function makerOfEnd(
  end: LegEnd,
): { readonly madeBy: 'own-stack'; readonly why: 'no-route' | 'timeout' } | undefined {
  if (end.cause === 'unreachable' && end.reason === NO_ROUTE)
    return { madeBy: 'own-stack', why: 'no-route' }
  return isSilence(end) && end.sipStatus === 408
    ? { madeBy: 'own-stack', why: 'timeout' }
    : undefined
}
