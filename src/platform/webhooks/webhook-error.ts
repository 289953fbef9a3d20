import { AdapterError } from '../errors.js'
import { answerExcerpt, htmlPageOf } from '../http/answer-excerpt.js'
import type { OutboundResponse } from '../http/outbound.js'
import type { OutboundError, OutboundErrorCode } from '../http/outbound-error.js'
import { decodeText } from './decode-text.js'

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
  /** The beginning of the response body on one line; undefined without a body. */
  readonly answer: string | undefined

  constructor(failure: {
    readonly code: WebhookErrorCode
    readonly message: string
    readonly url: string
    readonly httpStatus?: number
    readonly isRetryable: boolean
    readonly isAborted?: boolean
    readonly answer?: string | undefined
    readonly cause?: unknown
  }) {
    super(failure.message, failure)
    this.code = failure.code
    this.url = failure.url
    this.httpStatus = failure.httpStatus
    this.isAborted = failure.isAborted ?? false
    this.answer = failure.answer
  }
}

const SIGNATURE_HINT =
  '; most often its signature check refused the request (WEBHOOK_SIGNATURE_HEADERS names the headers)'
/** Hints in the messages of statuses that a signature check answers with. */
const REFUSED: Readonly<Record<number, string>> = { 401: SIGNATURE_HINT, 403: SIGNATURE_HINT }

export function statusError({ status, url, headers, body }: OutboundResponse): WebhookError {
  const isRetryable = status >= 500 || status === 408 || status === 425 || status === 429
  const text = decodeText(body, headers.get('content-type') ?? '')
  const page = htmlPageOf(text)
  const message = `the web server answered ${status}${page === undefined ? '' : ` with ${page}`}${REFUSED[status] ?? ''}`
  const answer = answerExcerpt(text)
  return new WebhookError({
    code: HTTP_ERROR,
    message,
    url,
    httpStatus: status,
    isRetryable,
    answer,
  })
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
