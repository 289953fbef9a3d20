/** How a call ended, from how its leg ended: the one table between SIP and the eight statuses. */

import type { LegEnd } from '../telephony/port.js'
import type { EndedStatus } from './call-status.js'

/** The call status that a final response to our INVITE leads to. */
export function statusOfRejection(sipStatus: number): EndedStatus {
  switch (sipStatus) {
    case 486: // Busy Here
    case 600: // Busy Everywhere
      return 'busy'
    case 408: // Request Timeout: the far end let it ring out
    case 480: // Temporarily Unavailable
    case 487: // Request Terminated by the far side
    case 603: // Decline
      return 'no-answer'
    default:
      return 'failed'
  }
}

/** Status of a call that nobody talked in: a 200 may have passed all the same, and its ACK not. */
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
 * Status of a call that we took back before we knew it answered. A 200 that left before that has
 * answered it for the other side, with or without an ACK (RFC 3261 §13.3.1.4).
 */
export function statusOfTakenBack(end: LegEnd): EndedStatus {
  return statusOfUnanswered(end) === 'completed' ? 'completed' : 'canceled'
}

export interface EndWarning {
  readonly code: 32016 | 32022
  readonly message: string
}

/** The warning in the event log for an end that the status alone does not explain. `hasRung` includes answered. */
export function warningOfEnd(end: LegEnd, hasRung: boolean): EndWarning | undefined {
  if (end.cause === 'no-ack') return { code: 32022, message: 'our answer was never acknowledged' }
  // RFC 3261 §17.1.1.2: 408 is also what our own stack says for a server that never did.
  const isSilence =
    end.cause === 'no-answer' || (end.cause === 'unreachable' && end.sipStatus === 408)
  return isSilence && !hasRung
    ? { code: 32016, message: 'the network did not say in time that it rings' }
    : undefined
}
