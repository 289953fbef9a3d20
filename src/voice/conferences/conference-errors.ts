import { DomainError } from '../../platform/errors.js'

/** The account has no such conference, or the conference no such participant. */
export class ConferenceNotFoundError extends DomainError {
  override readonly name = 'ConferenceNotFoundError'
  readonly code = 'conference-not-found'
}

/** The conference has ended. */
export class ConferenceOverError extends DomainError {
  override readonly name = 'ConferenceOverError'
  readonly code = 'conference-over'
}

/** Too many announcements are waiting. */
export class BusyAnnouncementsError extends DomainError {
  override readonly name = 'BusyAnnouncementsError'
  readonly code = 'busy-announcements'
}

/** The call to coach is not in the conference. */
export class CoachedCallError extends DomainError {
  override readonly name = 'CoachedCallError'
  readonly code = 'coached-call'
}
