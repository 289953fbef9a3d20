import type { WebhookMethod } from '../http/http-method.js'
import { isSecretName, maskText } from '../mask-secrets.js'
import type { WebhookParams } from './signature.js'
import type { WebhookErrorCode } from './webhook-error.js'

/** One request and its outcome, as the call's event log keeps it. */
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

export function maskedParams(params: WebhookParams): WebhookParams {
  return params.map(([name, value]) => [name, isSecretName(name) ? '***' : maskText(value)])
}

export function shownUrl(url: string): string {
  return maskText(url.replace(/#.*$/s, ''))
}

export function shownBody(body: Buffer): string {
  const text = maskText(body.subarray(0, 4 * MAX_SHOWN_CHARS).toString('utf8'))
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS)}…`
}
