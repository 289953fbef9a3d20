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

/** The account may only show its own numbers and those that it has verified. */
export class CallerIdNotVerifiedError extends DomainError {
  override readonly name = 'CallerIdNotVerifiedError'
  readonly code = 'caller-id-not-verified'
}

/** The account has reached its maximum of calls to one number, or of minutes or dollars today. */
export class CallLimitError extends DomainError {
  override readonly name = 'CallLimitError'
  readonly code = 'call-limit'
}

/**
 * The number is blocked: by the operator for every account, by the account's settings, or because of its
 * price.
 */
export class NumberBlockedError extends DomainError {
  override readonly name = 'NumberBlockedError'
  readonly code = 'number-blocked'
}

/** The number is in another country, and the account has no service for international calls. */
export class AbroadClosedError extends DomainError {
  override readonly name = 'AbroadClosedError'
  readonly code = 'abroad-closed'
}

/** The headers of a SIP URI have 1,024 or more characters in total. */
export class SipHeadersTooLongError extends DomainError {
  override readonly name = 'SipHeadersTooLongError'
  readonly code = 'sip-headers-too-long'
}

export class InvalidSipHeaderNameError extends DomainError {
  override readonly name = 'InvalidSipHeaderNameError'
  readonly code = 'invalid-sip-header-name'
}

export class InvalidSipHeaderValueError extends DomainError {
  override readonly name = 'InvalidSipHeaderValueError'
  readonly code = 'invalid-sip-header-value'
}

/** The signaling or media server is unavailable, or this process is draining. Nothing was stored. */
export class TelephonyUnavailableError extends DomainError {
  override readonly name = 'TelephonyUnavailableError'
  readonly code = 'telephony-unavailable'
}

/** The server has reached its maximum of concurrent calls. Nothing was stored. */
export class TooManyCallsError extends DomainError {
  override readonly name = 'TooManyCallsError'
  readonly code = 'too-many-calls'
}

/** The account has reached its maximum of queued calls. Nothing was stored. */
export class CallQueueFullError extends DomainError {
  override readonly name = 'CallQueueFullError'
  readonly code = 'call-queue-full'
}
