import { DomainError } from '../../platform/errors.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'

export class StreamNotFoundError extends DomainError {
  override readonly name = 'StreamNotFoundError'
  readonly code = 'stream-not-found'
}

/**
 * A stream that cannot start: 31922 for the URL's scheme, 31923 for the URL, 31960 when the call already has
 * a stream.
 */
export class StreamRefusedError extends DomainError {
  override readonly name = 'StreamRefusedError'
  readonly code: 'stream-scheme' | 'stream-url' | 'stream-active'
  readonly number: 31922 | 31923 | 31960
  constructor(number: 31922 | 31923 | 31960, message: string) {
    super(message)
    this.number = number
    this.code = CODES[number]
  }
}

const CODES = { 31922: 'stream-scheme', 31923: 'stream-url', 31960: 'stream-active' } as const

/** A fault between this server and the customer's server; `number` is the documented 319xx number. */
export class StreamFailure extends DomainError {
  override readonly name = 'StreamFailure'
  readonly code = 'stream-failed'
  readonly number: ErrorNumber
  constructor(number: ErrorNumber, message: string, options?: ErrorOptions) {
    super(message, options)
    this.number = number
  }
}
