/**
 * Every number that an answer, a call's event log or a callback may carry: its name, what it means,
 * and what to do about it. `/docs/errors` and docs/errors.md are written from it.
 */
import { DIAL_ERRORS } from './dial-errors.js'
import { MARKUP_ERRORS } from './markup-errors.js'
import { MEDIA_ERRORS } from './media-errors.js'
import { REST_ERRORS } from './rest-errors.js'
import { RETRIEVAL_ERRORS } from './retrieval-errors.js'

export interface CataloguedError {
  /** Kebab-case; for logs and searches. */
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
}

/** A number of the catalogue; no other is ever answered or logged. */
export type ErrorNumber =
  | keyof typeof RETRIEVAL_ERRORS
  | keyof typeof MARKUP_ERRORS
  | keyof typeof DIAL_ERRORS
  | keyof typeof MEDIA_ERRORS
  | keyof typeof REST_ERRORS

export function isErrorNumber(value: unknown): value is ErrorNumber {
  return typeof value === 'number' && value in ERROR_CATALOGUE
}
