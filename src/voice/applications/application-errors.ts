import { DomainError } from '../../platform/errors.js'

export class ApplicationNotFoundError extends DomainError {
  override readonly name = 'ApplicationNotFoundError'
  readonly code = 'application-not-found'
}

/** The application that a number names does not belong to its account. */
export class ApplicationNotAccessibleError extends DomainError {
  override readonly name = 'ApplicationNotAccessibleError'
  readonly code = 'application-not-accessible'
}

/** A fallback URL is set without the URL that it replaces on failure. */
export class FallbackWithoutUrlError extends DomainError {
  override readonly name = 'FallbackWithoutUrlError'
  readonly code = 'fallback-without-url'
  /** 21405 for calls, 21406 for messages. */
  readonly number: 21405 | 21406
  constructor(number: FallbackWithoutUrlError['number']) {
    const name = number === 21405 ? 'Voice' : 'Sms'
    super(`${name}FallbackUrl cannot be set without ${name}Url`)
    this.number = number
  }
}
