import { DomainError } from '../../platform/errors.js'

/** There is none of that sid in this account, or nobody of that name in the room. */
export class ConferenceNotFoundError extends DomainError {
  override readonly name = 'ConferenceNotFoundError'
  readonly code = 'conference-not-found'
}

/** It is over: nobody is in it, and nothing can be announced. */
export class ConferenceOverError extends DomainError {
  override readonly name = 'ConferenceOverError'
  readonly code = 'conference-over'
}

/** As many wait for their turn as may. */
export class BusyAnnouncementsError extends DomainError {
  override readonly name = 'BusyAnnouncementsError'
  readonly code = 'busy-announcements'
}

/** The call to coach is not in the room. */
export class CoachedCallError extends DomainError {
  override readonly name = 'CoachedCallError'
  readonly code = 'coached-call'
}
