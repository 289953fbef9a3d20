import { DomainError } from '../../platform/errors.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'

/** A request to a customer's server failed. `number` is the documented 11xxx code. */
export class FetchError extends DomainError {
  override readonly name = 'FetchError'
  readonly code = 'fetch-failed'
  readonly number: ErrorNumber
  readonly url: string
  /** The beginning of the answer, for people; undefined when there was none. */
  readonly answer: string | undefined
  constructor(
    number: ErrorNumber,
    url: string,
    message: string,
    options?: ErrorOptions & { readonly answer?: string | undefined },
  ) {
    super(message, options)
    this.number = number
    this.url = url
    this.answer = options?.answer
  }
}

/** The response is not playable audio (13420 in the call's event log). */
export class MediaTypeError extends DomainError {
  override readonly name = 'MediaTypeError'
  readonly code = 'media-type-unsupported'
  readonly number = 13420
  readonly url: string
  constructor(url: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.url = url
  }
}
