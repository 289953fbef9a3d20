import { DomainError } from '../platform/errors.js'

/** Numbers of a submission were not found portable within the last hour. */
export class PortNotVerifiedError extends DomainError {
  override readonly name = 'PortNotVerifiedError'
  readonly code = 'port-not-verified'
  readonly numbers: readonly string[]

  constructor(numbers: readonly string[]) {
    super(
      `These numbers were not found portable within the last hour: ${numbers.join(', ')}. Check each one, then submit again`,
    )
    this.numbers = numbers
  }
}

/** A number of a submission is already on this system, or in another port. */
export class PortConflictError extends DomainError {
  override readonly name = 'PortConflictError'
  readonly code = 'port-conflict'
}

/** The account has no such port. */
export class PortNotFoundError extends DomainError {
  override readonly name = 'PortNotFoundError'
  readonly code = 'port-not-found'
}

/** The port's state does not allow the request. */
export class PortStateError extends DomainError {
  override readonly name = 'PortStateError'
  readonly code = 'port-state'
}

/** A field of a port conflicts with the account's own data. */
export class PortFieldError extends DomainError {
  override readonly name = 'PortFieldError'
  readonly code = 'port-field'
}

/** A file is not a valid letter of authorisation. */
export class LetterError extends DomainError {
  override readonly name = 'LetterError'
  readonly code = 'port-letter'
}

/** A port-out of a number is refused. */
export class PortOutRefusedError extends DomainError {
  override readonly name = 'PortOutRefusedError'
  readonly code = 'port-out-refused'
}
