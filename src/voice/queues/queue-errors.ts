import { DomainError } from '../../platform/errors.js'

export class QueueNotFoundError extends DomainError {
  override readonly name = 'QueueNotFoundError'
  readonly code = 'queue-not-found'
}

/** The call does not wait in the queue: it has left, is being connected, or never was in it. */
export class QueueMemberNotFoundError extends DomainError {
  override readonly name = 'QueueMemberNotFoundError'
  readonly code = 'queue-member-not-found'
}

export class QueueNotEmptyError extends DomainError {
  override readonly name = 'QueueNotEmptyError'
  readonly code = 'queue-not-empty'
}

export class QueueNameTakenError extends DomainError {
  override readonly name = 'QueueNameTakenError'
  readonly code = 'queue-name-taken'
}
