import { DomainError } from '../../platform/errors.js'

export class CallerIdNotFoundError extends DomainError {
  override readonly name = 'CallerIdNotFoundError'
  readonly code = 'caller-id-not-found'
}

/** The account has verified the number before. */
export class CallerIdExistsError extends DomainError {
  override readonly name = 'CallerIdExistsError'
  readonly code = 'caller-id-exists'
}

/** The account, or the number, has had as many verification calls in the last hour as it may. */
export class TooManyVerificationsError extends DomainError {
  override readonly name = 'TooManyVerificationsError'
  readonly code = 'too-many-verifications'
}

/** A verification call of the account to the number has not ended yet. */
export class VerificationUnderWayError extends DomainError {
  override readonly name = 'VerificationUnderWayError'
  readonly code = 'verification-under-way'
}
