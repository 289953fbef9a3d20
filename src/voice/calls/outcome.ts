/** How a call ended, from how its leg ended: the one table between SIP and the eight statuses. */
import type { LegEnd } from '../media/port.js'

export type EndedStatus = 'completed' | 'busy' | 'no-answer' | 'failed' | 'canceled'

/** What a final response to the INVITE means for somebody who placed the call. */
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
