/**
 * Every error number that a response, an event or a callback may contain, with its name, meaning
 * and remedy. `/docs/errors` and docs/errors.md are generated from it.
 */
import { DIAL_ERRORS } from './dial-errors.js'
import { MARKUP_ERRORS } from './markup-errors.js'
import { MEDIA_ERRORS } from './media-errors.js'
import { MESSAGE_ERRORS } from './message-errors.js'
import { REST_ERRORS } from './rest-errors.js'
import { RETRIEVAL_ERRORS } from './retrieval-errors.js'
import { SIP_ERRORS } from './sip-errors.js'

export interface CataloguedError {
  /** The error's name in kebab-case, for logs and searches. */
  readonly name: string
  readonly text: string
  readonly remedy: string
}

export const ERROR_CATALOGUE: Readonly<Record<ErrorNumber, CataloguedError>> = {
  ...RETRIEVAL_ERRORS,
  ...MARKUP_ERRORS,
  ...DIAL_ERRORS,
  ...MEDIA_ERRORS,
  ...REST_ERRORS,
  ...MESSAGE_ERRORS,
  ...SIP_ERRORS,
}

/** A number of the catalogue. No other number appears in a response or a log. */
export type ErrorNumber =
  | keyof typeof RETRIEVAL_ERRORS
  | keyof typeof MARKUP_ERRORS
  | keyof typeof DIAL_ERRORS
  | keyof typeof MEDIA_ERRORS
  | keyof typeof REST_ERRORS
  | keyof typeof MESSAGE_ERRORS
  | keyof typeof SIP_ERRORS

export function isErrorNumber(value: unknown): value is ErrorNumber {
  return typeof value === 'number' && value in ERROR_CATALOGUE
}
