import { randomUUID } from 'node:crypto'
import type { Clock } from '../clock.js'
import type { WebhookMethod } from '../http/http-method.js'
import type { Outbound, OutboundResponse } from '../http/outbound.js'
import { OutboundError } from '../http/outbound-error.js'
import type { Hop } from '../http/outbound-request.js'
import { isSecretName, maskText } from '../mask-secrets.js'
import {
  type ConnectionOverrides,
  fragmentOf,
  type OverrideProblem,
  parseConnectionOverrides,
} from './connection-overrides.js'
import type { CookieJar } from './cookie-jar.js'
import { createDocumentCache, type DocumentCache, type Revalidation } from './document-cache.js'
import {
  DEFAULT_SIGNATURE_HEADERS,
  signedHeaders,
  signWebhook,
  type WebhookParams,
  withBodySha256,
} from './signature.js'
import {
  emptyChunkedError,
  isEmptyChunked,
  outboundFailure,
  statusError,
  WebhookError,
  type WebhookErrorCode,
} from './webhook-error.js'

export interface WebhookRequest {
  readonly method: WebhookMethod
  /** The URL; its fragment tunes the connection (see connection-overrides.ts). */
  readonly url: string
  /** The form body of a POST; for a GET, appended to the query. */
  readonly params: WebhookParams
  /**
   * The JSON body of a POST instead of the form; its hash is added to the URL, and only the URL is signed.
   */
  readonly json?: string
  readonly accountSid: string
  readonly signing: Signing
  readonly cookieJar?: CookieJar
  /** True for a callback: the response body is not read, so it cannot cause a failure. */
  readonly isNotification?: boolean
  /** The idempotency token, the same for every attempt of one message; generated when absent. */
  readonly idempotencyToken?: string
  /** Called after every attempt, failed or not. */
  readonly onAttempt?: (attempt: AttemptReport) => void
  /** Called for each invalid value of the fragment; its default applies. */
  readonly onOverrideProblem?: (problem: OverrideProblem) => void
}

export interface Signing {
  readonly authToken: string
  /** A second header with the same value, for a ready-made validator that reads only that name. */
  readonly secondHeader?: string | undefined
}

export interface WebhookResponse {
  readonly status: number
  /** The content type as the server sent it; empty when it sent none. */
  readonly contentType: string
  /** The body; after a 304, the cached document. */
  readonly body: Buffer
  /**
   * The URL after redirects, the base for relative URLs. The parameters that a GET added to the query are
   * removed.
   */
  readonly url: string
}

export interface Webhooks {
  /** Resolves with a response below 400; rejects with WebhookError and nothing else. */
  fetch(request: WebhookRequest, signal: AbortSignal): Promise<WebhookResponse>
}

export interface WebhooksDeps {
  readonly outbound: Outbound
  readonly clock: Clock
  /** The version of this product, for the `User-Agent`. */
  readonly version: string
  /** Names of the headers that carry the signature, each with the same value. */
  readonly signatureHeaders?: readonly string[]
}

/**
 * The headers of the idempotency token; applications written for the convention look for the
 * second.
 */
const TOKEN_HEADERS = ['I-Compat-Idempotency-Token', 'I-Twilio-Idempotency-Token']

const MAX_BODY_BYTES = 64 * 1024
const MAX_REDIRECTS = 10

/** One request and its outcome, for the call's event log. */
export interface AttemptReport {
  /** The URL without credentials and fragment. */
  readonly url: string
  readonly method: WebhookMethod
  /** The parameters, secrets masked. */
  readonly params: WebhookParams
  readonly durationMs: number
  readonly status: number | undefined
  readonly error: { readonly code: WebhookErrorCode; readonly message: string } | undefined
  readonly contentType: string | undefined
  /** The beginning of the body, secrets masked. */
  readonly responseBody: string | undefined
}

const MAX_SHOWN_CHARS = 4_096

export function createWebhooks(deps: WebhooksDeps): Webhooks {
  const cache = createDocumentCache()
  return {
    fetch: async (request, signal) => {
      const { overrides, problems } = parseConnectionOverrides(fragmentOf(request.url))
      for (const problem of problems) request.onOverrideProblem?.(problem)
      const idempotencyToken = request.idempotencyToken ?? randomUUID()
      const tally = { attempts: 0 }
      return attempts({ deps, cache, request, overrides, idempotencyToken, tally, signal })
    },
  }
}

interface Work {
  readonly deps: WebhooksDeps
  readonly cache: DocumentCache
  readonly request: WebhookRequest
  readonly overrides: ConnectionOverrides
  readonly idempotencyToken: string
  readonly tally: { attempts: number }
  readonly signal: AbortSignal
}

/** Makes the attempts, within the total timeout. */
async function attempts(work: Work): Promise<WebhookResponse> {
  const { overrides, deps, tally } = work
  const deadline = deps.clock.monotonic() + overrides.totalTimeoutMs
  for (;;) {
    const remainingMs = Math.max(1, deadline - deps.clock.monotonic())
    const outcome = await attempt(work, remainingMs)
    if (!(outcome instanceof WebhookError)) return outcome
    const isOver = tally.attempts > overrides.retries || deps.clock.monotonic() >= deadline
    if (isOver || !isRetried(outcome, overrides)) throw outcome
  }
}

async function attempt(work: Work, remainingMs: number): Promise<WebhookResponse | WebhookError> {
  const { request, deps, tally } = work
  const content = written(request)
  let startedAt = deps.clock.monotonic()
  const report = (
    result: Pick<AttemptReport, 'status' | 'error' | 'contentType' | 'responseBody'>,
  ): void => {
    tally.attempts += 1
    request.onAttempt?.({
      url: shownUrl(request.url),
      method: request.method,
      params: maskedParams(request.params),
      durationMs: Math.round(deps.clock.monotonic() - startedAt),
      ...result,
    })
  }
  const reportFailure = ({ code, message }: OutboundError): void => {
    const error = { code, message }
    report({ status: undefined, error, contentType: undefined, responseBody: undefined })
    startedAt = deps.clock.monotonic()
  }
  try {
    const answer = await sent(work, content, { remainingMs, onRepeat: reportFailure })
    const response = { ...answer, url: withoutSuffix(answer.url, content) }
    const failure = failureOf(request, response)
    report({
      status: response.status,
      error: failure && { code: failure.code, message: failure.message },
      contentType: response.headers.get('content-type') ?? undefined,
      responseBody: shownBody(response.body),
    })
    if (failure !== undefined) return failure
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      body: response.body,
      url: response.url,
    }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    reportFailure(error)
    return outboundFailure(error, withoutSuffix(error.url, content))
  }
}

function maskedParams(params: WebhookParams): WebhookParams {
  return params.map(([name, value]) => [name, isSecretName(name) ? '***' : maskText(value)])
}

function shownUrl(url: string): string {
  return maskText(url.replace(/#.*$/s, ''))
}

function shownBody(body: Buffer): string {
  const text = maskText(body.subarray(0, 4 * MAX_SHOWN_CHARS).toString('utf8'))
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS)}…`
}

function failureOf(
  { isNotification }: WebhookRequest,
  response: OutboundResponse,
): WebhookError | undefined {
  if (response.status >= 400) return statusError(response)
  return isNotification !== true && isEmptyChunked(response)
    ? emptyChunkedError(response)
    : undefined
}

async function sent(
  { deps, cache, request, overrides, idempotencyToken, signal }: Work,
  { url, body, contentType }: Content,
  limits: { readonly remainingMs: number; readonly onRepeat: (failure: OutboundError) => void },
): Promise<OutboundResponse> {
  const isDocument = request.method === 'GET' && request.isNotification !== true
  const revalidation = isDocument ? cache.begin(request.accountSid) : undefined
  const response = await deps.outbound.request(
    {
      method: request.method,
      url,
      ...(body !== undefined && { body }),
      tenant: tenantOf(request),
      headers: {
        'User-Agent': `Trunkline/${deps.version}`,
        Accept: '*/*',
        ...Object.fromEntries(TOKEN_HEADERS.map((name) => [name, idempotencyToken])),
        ...(contentType !== undefined && { 'Content-Type': contentType }),
      },
      connectTimeoutMs: overrides.connectTimeoutMs,
      responseTimeoutMs: overrides.responseTimeoutMs,
      totalTimeoutMs: limits.remainingMs,
      maxBodyBytes: MAX_BODY_BYTES,
      // Audio is fetched as a whole by its URL when it is played.
      ignoresBody: (headers) =>
        request.isNotification === true || /^audio\//i.test(headers.get('content-type') ?? ''),
      maxRedirects: MAX_REDIRECTS,
      serverName: overrides.serverName,
      // Each request carries an idempotency token.
      isRepeatable: true,
      onRepeat: limits.onRepeat,
      hopHeaders: (hop) => hopHeaders(request, hop, revalidation, deps.signatureHeaders),
      onHop: (hop, _status, headers) => {
        request.cookieJar?.store(hop.url, headers.getSetCookie())
      },
    },
    signal,
  )
  return revalidation?.settle(response) ?? response
}

/**
 * Makes the headers of a hop: each has its own URL, hence its own signature, cookies and cached document.
 */
function hopHeaders(
  request: WebhookRequest,
  hop: Hop,
  revalidation: Revalidation | undefined,
  signatureHeaders: readonly string[] = DEFAULT_SIGNATURE_HEADERS,
): Readonly<Record<string, string>> {
  const { signing } = request
  const isForm = hop.body !== undefined && request.json === undefined
  const signature = signWebhook(signing.authToken, hop.url.href, isForm ? request.params : [])
  const cookie = request.cookieJar?.headerFor(hop.url)
  return {
    ...signedHeaders(signature, signatureHeaders, signing.secondHeader),
    ...(cookie !== undefined && { cookie }),
    ...revalidation?.headersFor(hop, cookie),
  }
}

interface Content {
  readonly url: string
  /** The query that a GET added to its URL. */
  readonly suffix?: string
  readonly body?: string
  readonly contentType?: string
}

function written({ method, url, params, json }: WebhookRequest): Content {
  const bare = url.replace(/#.*$/s, '')
  if (method === 'POST' && json !== undefined)
    return { url: withBodySha256(bare, json), body: json, contentType: 'application/json' }
  const form = new URLSearchParams(
    params.map(([name, value]): [string, string] => [name, value]),
  ).toString()
  if (method === 'POST')
    return {
      url: bare,
      body: form,
      contentType: 'application/x-www-form-urlencoded; charset=utf-8',
    }
  if (form === '') return { url: bare }
  // RFC 3986 §3.4 allows a bare `?` in the query, and the convention's validator for express unescapes it.
  const query = form.replaceAll('%3F', '?')
  const separator = bare.includes('?') ? '&' : '?'
  const suffix = `${/[?&]$/.test(bare) ? '' : separator}${query}`
  return { url: bare + suffix, suffix }
}

function withoutSuffix(url: string, { suffix }: Content): string {
  return suffix !== undefined && url.endsWith(suffix) ? url.slice(0, -suffix.length) : url
}

/**
 * Returns the connection pool's tenant for a request. Notifications have separate connections, so that they
 * do not delay live calls.
 */
function tenantOf({ accountSid, isNotification }: WebhookRequest): string {
  return isNotification === true ? `${accountSid} notifications` : accountSid
}

function isRetried(failure: WebhookError, { retryOn }: ConnectionOverrides): boolean {
  const { cause, httpStatus } = failure
  if (httpStatus !== undefined && httpStatus >= 400)
    return retryOn.has(httpStatus >= 500 ? '5xx' : '4xx')
  if (!(cause instanceof OutboundError)) return false
  if (cause.isBeforeSending) return retryOn.has('ct')
  const isLostInReading = cause.kind === 'response-timeout' || cause.kind === 'connection-lost'
  return isLostInReading && retryOn.has('rt')
}
