import type { MarkupEnd } from '../../markup/document.js'
import { statusOfRejection } from '../../model/outcome.js'
import type { CallEvent } from './call-machine.js'

/** The event that the end of a call's documents is for the call. */
export function eventAfter(end: MarkupEnd): CallEvent {
  switch (end.type) {
    case 'rejected':
      return { type: 'declined', as: end.reason === 'busy' ? 'busy' : 'no-answer' }
    case 'refused': {
      const { status, reason } = end
      return { type: 'declined', as: statusOfRejection(status), answer: { status, reason } }
    }
    default:
      return { type: 'hangup-requested' }
  }
}
