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

/** A number of a submission is on this system already, or in another port. */
export class PortConflictError extends DomainError {
  override readonly name = 'PortConflictError'
  readonly code = 'port-conflict'
}

/** The account has no such port. */
export class PortNotFoundError extends DomainError {
  override readonly name = 'PortNotFoundError'
  readonly code = 'port-not-found'
}

/** The state of the port does not allow what was asked for. */
export class PortStateError extends DomainError {
  override readonly name = 'PortStateError'
  readonly code = 'port-state'
}

/** A field of a port is wrong in a way that only the account's own data shows. */
export class PortFieldError extends DomainError {
  override readonly name = 'PortFieldError'
  readonly code = 'port-field'
}

/** A file is no letter of authorisation. */
export class LetterError extends DomainError {
  override readonly name = 'LetterError'
  readonly code = 'port-letter'
}

/** A carrier may not take a number. */
export class PortOutRefusedError extends DomainError {
  override readonly name = 'PortOutRefusedError'
  readonly code = 'port-out-refused'
}
