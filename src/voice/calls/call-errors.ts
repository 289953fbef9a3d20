import { DomainError } from '../../platform/errors.js'

export class CallNotFoundError extends DomainError {
  override readonly name = 'CallNotFoundError'
  readonly code = 'call-not-found'
}

export class CallNotInProgressError extends DomainError {
  override readonly name = 'CallNotInProgressError'
  readonly code = 'call-not-in-progress'
}

export class CallStillLiveError extends DomainError {
  override readonly name = 'CallStillLiveError'
  readonly code = 'call-still-live'
}

export class InvalidToError extends DomainError {
  override readonly name = 'InvalidToError'
  readonly code = 'invalid-to'
}

export class InvalidFromError extends DomainError {
  override readonly name = 'InvalidFromError'
  readonly code = 'invalid-from'
}

/** Signaling or media server away, or this process draining: nothing was stored. */
export class TelephonyUnavailableError extends DomainError {
  override readonly name = 'TelephonyUnavailableError'
  readonly code = 'telephony-unavailable'
}
