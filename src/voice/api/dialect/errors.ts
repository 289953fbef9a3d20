import type { DomainError } from '../../../platform/errors.js'
import { type ErrorNumber, isErrorNumber } from '../../errors/error-catalogue.js'

/** The JSON body of an error; `status` is the HTTP status. */
export interface ErrorBody {
  readonly code: ErrorNumber
  readonly message: string
  readonly more_info: string
  readonly status: number
  /** Present only with status 401. */
  readonly detail?: string
}

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly number: ErrorNumber
  constructor(status: number, number: ErrorNumber, message: string) {
    super(message)
    this.status = status
    this.number = number
  }
}

/** Maps each domain error to an HTTP status and a documented error number. */
const DOMAIN_ERRORS: Readonly<
  Record<string, { readonly status: number; readonly number: ErrorNumber }>
> = {
  'account-closed': { status: 403, number: 20005 },
  'insufficient-balance': { status: 402, number: 20402 },
  'call-not-found': { status: 404, number: 20404 },
  'call-not-in-progress': { status: 400, number: 21220 },
  'call-still-live': { status: 409, number: 20009 },
  'transcription-not-found': { status: 404, number: 20404 },
  'not-exportable': { status: 400, number: 20422 },
  'key-not-found': { status: 404, number: 20404 },
  'too-many-keys': { status: 400, number: 20422 },
  'number-not-found': { status: 404, number: 20404 },
  'number-not-available': { status: 400, number: 21422 },
  'number-taken': { status: 409, number: 21422 },
  'number-porting': { status: 409, number: 21422 },
  'application-not-found': { status: 404, number: 20404 },
  'application-not-accessible': { status: 400, number: 21420 },
  'fallback-without-url': { status: 400, number: 21405 },
  'masked-password': { status: 400, number: 21402 },
  'queue-not-found': { status: 404, number: 20404 },
  'queue-member-not-found': { status: 404, number: 20404 },
  'queue-not-empty': { status: 409, number: 20009 },
  'queue-name-taken': { status: 400, number: 22003 },
  'recording-not-found': { status: 404, number: 20404 },
  'not-eligible-for-recording': { status: 400, number: 21220 },
  'conference-not-found': { status: 404, number: 20404 },
  'conference-over': { status: 400, number: 21220 },
  'busy-announcements': { status: 429, number: 20429 },
  'conference-refused': { status: 400, number: 16020 },
  'coached-call': { status: 400, number: 13240 },
  'several-recordings': { status: 400, number: 16108 },
  'not-dual-channel': { status: 400, number: 16113 },
  'recording-media-unavailable': { status: 503, number: 20503 },
  'invalid-to': { status: 400, number: 21211 },
  'invalid-from': { status: 400, number: 21212 },
  'caller-id-not-verified': { status: 400, number: 21210 },
  'caller-id-not-found': { status: 404, number: 20404 },
  'caller-id-exists': { status: 400, number: 21450 },
  'verification-under-way': { status: 429, number: 20429 },
  'too-many-verifications': { status: 429, number: 20429 },
  'number-blocked': { status: 400, number: 21216 },
  'abroad-closed': { status: 400, number: 21215 },
  'sip-headers-too-long': { status: 400, number: 21227 },
  'invalid-sip-header-name': { status: 400, number: 21228 },
  'invalid-sip-header-value': { status: 400, number: 21229 },
  'sip-resource-not-found': { status: 404, number: 20404 },
  'sip-domain-name': { status: 400, number: 21232 },
  'sip-subdomains': { status: 400, number: 21233 },
  'sip-list-mapped': { status: 400, number: 21231 },
  'sip-limit': { status: 400, number: 21230 },
  'sip-name-taken': { status: 400, number: 21240 },
  'sip-list-in-use': { status: 400, number: 21241 },
  'stream-not-found': { status: 404, number: 20404 },
  'stream-scheme': { status: 400, number: 31922 },
  'stream-url': { status: 400, number: 31923 },
  'stream-active': { status: 400, number: 31960 },
  'telephony-unavailable': { status: 503, number: 20503 },
  'node-unavailable': { status: 503, number: 20503 },
  'too-many-asked': { status: 429, number: 20429 },
  'too-many-calls': { status: 429, number: 20429 },
  'call-limit': { status: 429, number: 10004 },
  'call-queue-full': { status: 429, number: 20429 },
  'message-refused': { status: 400, number: 21606 },
  'message-queue-full': { status: 429, number: 21611 },
  'message-not-found': { status: 404, number: 20404 },
  'message-media-not-found': { status: 404, number: 20404 },
  'message-under-way': { status: 409, number: 20009 },
  'message-not-scheduled': { status: 409, number: 30409 },
  'unsafe-argument': { status: 400, number: 20422 },
}

export function fromDomainError(error: DomainError, path: string): ApiError | undefined {
  const known = DOMAIN_ERRORS[error.code]
  if (known === undefined) return undefined
  if (known.status === 404) return notFound(path)
  const message =
    error.code === 'call-not-in-progress'
      ? 'Call is not in-progress. Cannot redirect.'
      : error.message
  // An error that carries its own documented number keeps it.
  const own = 'number' in error && isErrorNumber(error.number) ? error.number : known.number
  return new ApiError(known.status, own, message)
}

/** The 404 for a missing resource. A resource of another account gets the same text. */
export function notFound(path: string): ApiError {
  return new ApiError(404, 20404, `The requested resource ${path} was not found`)
}

/**
 * Returns the body of an error; `origin` is the scheme, host and port that customers use for this
 * server.
 */
export function errorBody(error: ApiError, origin: string): ErrorBody {
  return {
    code: error.number,
    message: error.message,
    more_info: `${origin}/docs/errors#${error.number}`,
    status: error.status,
    ...(error.status === 401 ? { detail: 'Your AccountSid or AuthToken was incorrect.' } : {}),
  }
}
