import { DomainError } from '../platform/errors.js'

/** Another account holds the number. */
export class NumberTakenError extends DomainError {
  override readonly name = 'NumberTakenError'
  readonly code = 'number-taken'
}

/** No number of the inventory can be claimed by this request. */
export class NumberNotAvailableError extends DomainError {
  override readonly name = 'NumberNotAvailableError'
  readonly code = 'number-not-available'
  /** 21422: that one number; 21452: any number of an area code. */
  readonly number: 21422 | 21452
  constructor(number: NumberNotAvailableError['number'], message: string) {
    super(message)
    this.number = number
  }
}

/** The account holds no number of that sid. */
export class NumberNotFoundError extends DomainError {
  override readonly name = 'NumberNotFoundError'
  readonly code = 'number-not-found'
}

/** The number is being ported and cannot be changed until the port ends. */
export class NumberPortingError extends DomainError {
  override readonly name = 'NumberPortingError'
  readonly code = 'number-porting'
}
