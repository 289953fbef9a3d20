import { DomainError } from '../../platform/errors.js'

export class ApplicationNotFoundError extends DomainError {
  override readonly name = 'ApplicationNotFoundError'
  readonly code = 'application-not-found'
}

/** A number names an application that is not its account's. */
export class ApplicationNotAccessibleError extends DomainError {
  override readonly name = 'ApplicationNotAccessibleError'
  readonly code = 'application-not-accessible'
}

/** A fallback URL is set, and the URL that it stands in for is not. */
export class FallbackWithoutUrlError extends DomainError {
  override readonly name = 'FallbackWithoutUrlError'
  readonly code = 'fallback-without-url'
  /** 21405 concerns calls, 21406 messages. */
  readonly number: 21405 | 21406
  constructor(number: FallbackWithoutUrlError['number']) {
    const name = number === 21405 ? 'Voice' : 'Sms'
    super(`${name}FallbackUrl cannot be set without ${name}Url`)
    this.number = number
  }
}
