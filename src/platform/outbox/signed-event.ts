/** JSON events to an account's URL, signed with time and body. */

import { createHmac } from 'node:crypto'
import type { Outbound } from '../http/outbound.js'
import { OutboundError } from '../http/outbound-error.js'
import { maskedUrl } from '../url-passwords.js'
import type { AttemptResult } from './outbox-row.js'

const TIMEOUT_MS = 10_000

/**
 * The forms of a signature, each HMAC-SHA-256 with a secret that the receiver knows.
 *
 * | form | value | over |
 * |---|---|---|
 * | `timestamped` | `t=seconds,v1=hex` | `t.body` |
 * | `hex` | hex | the body |
 * | `sha256` | `sha256=hex` | the body |
 * | `base64` | base64 | the body |
 */
export const SIGNATURE_FORMS = ['timestamped', 'hex', 'sha256', 'base64'] as const
export type SignatureForm = (typeof SIGNATURE_FORMS)[number]

export interface SignatureHeader {
  readonly header: string
  readonly form: SignatureForm
}

export const DEFAULT_EVENT_SIGNATURES: readonly SignatureHeader[] = [
  { header: 'X-Trunkline-Signature', form: 'timestamped' },
]

/** Returns the headers of a signed event, with its signature in those of `signatures`. */
export function signedHeaders(
  body: string,
  secret: string,
  now: number,
  signatures: readonly SignatureHeader[] = DEFAULT_EVENT_SIGNATURES,
): Record<string, string> {
  const signed = signatures.map(({ header, form }) => [
    header,
    signatureOf(form, body, secret, now),
  ])
  // Pairs of texts.
  return { 'Content-Type': 'application/json', ...(Object.fromEntries(signed) as object) }
}

function signatureOf(form: SignatureForm, body: string, secret: string, now: number): string {
  const time = String(Math.floor(now / 1_000))
  const content = form === 'timestamped' ? `${time}.${body}` : body
  const mac = createHmac('sha256', secret).update(content).digest()
  switch (form) {
    case 'timestamped':
      return `t=${time},v1=${mac.toString('hex')}`
    case 'hex':
      return mac.toString('hex')
    case 'sha256':
      return `sha256=${mac.toString('hex')}`
    case 'base64':
      return mac.toString('base64')
  }
}

export interface EventPost {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Posts an event. A network failure is the result's `error`; the promise rejects only for an
 * internal fault.
 */
export async function postEvent(
  outbound: Pick<Outbound, 'request'>,
  { url, body, headers }: EventPost,
  signal: AbortSignal,
): Promise<AttemptResult & { readonly response: string }> {
  try {
    const answer = await outbound.request(
      {
        method: 'POST',
        url,
        headers,
        body,
        totalTimeoutMs: TIMEOUT_MS,
        maxRedirects: 0,
        // Events arrive at least once, each with its id.
        isRepeatable: true,
      },
      signal,
    )
    return {
      endpoint: maskedUrl(url),
      status: answer.status,
      error: undefined,
      durationMs: Math.round(answer.timings.totalMs),
      response: answer.body.toString('utf8'),
    }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const { message } = error
    return {
      endpoint: maskedUrl(url),
      status: undefined,
      error: message,
      durationMs: 0,
      response: '',
    }
  }
}
