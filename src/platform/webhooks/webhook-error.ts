import { AdapterError } from '../errors.js'
import type { OutboundResponse } from '../http/outbound.js'
import type { OutboundError, OutboundErrorCode } from '../http/outbound-error.js'

const HTTP_ERROR = 11200
const EMPTY_CHUNKED = 11770

/** The convention's error numbers for an application without a usable response. */
export type WebhookErrorCode = OutboundErrorCode | typeof EMPTY_CHUNKED

/** The customer's application sent no usable response; `code` is the public error number. */
export class WebhookError extends AdapterError {
  override readonly name = 'WebhookError'
  readonly code: WebhookErrorCode
  /** The URL without credentials, and without the parameters that a GET sent. */
  readonly url: string
  /** The status of the response, if there was one. */
  readonly httpStatus: number | undefined
  readonly isAborted: boolean

  constructor(failure: {
    readonly code: WebhookErrorCode
    readonly message: string
    readonly url: string
    readonly httpStatus?: number
    readonly isRetryable: boolean
    readonly isAborted?: boolean
    readonly cause?: unknown
  }) {
    super(failure.message, failure)
    this.code = failure.code
    this.url = failure.url
    this.httpStatus = failure.httpStatus
    this.isAborted = failure.isAborted ?? false
  }
}

export function statusError({ status, url }: OutboundResponse): WebhookError {
  const isRetryable = status >= 500 || status === 408 || status === 425 || status === 429
  const message = `the web server answered ${status}`
  return new WebhookError({ code: HTTP_ERROR, message, url, httpStatus: status, isRetryable })
}

export function outboundFailure(cause: OutboundError, url: string): WebhookError {
  const { code, message, isRetryable } = cause
  return new WebhookError({
    code,
    message,
    url,
    isRetryable,
    isAborted: cause.kind === 'aborted',
    cause,
  })
}

/** True for a chunked response with an empty body: most often the server failed midway (RFC 9112 §7.1). */
export function isEmptyChunked({ headers, body }: OutboundResponse): boolean {
  return body.length === 0 && /\bchunked\b/i.test(headers.get('transfer-encoding') ?? '')
}

export function emptyChunkedError({ status, url }: OutboundResponse): WebhookError {
  const message = 'the web server answered with a chunked body that is empty'
  return new WebhookError({
    code: EMPTY_CHUNKED,
    message,
    url,
    httpStatus: status,
    isRetryable: false,
  })
}
