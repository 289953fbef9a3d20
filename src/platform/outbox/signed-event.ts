/** Events in JSON, signed with the time and the body: what is sent to a URL that an account has given. */

import { createHmac } from 'node:crypto'
import type { Outbound } from '../http/outbound.js'
import { OutboundError } from '../http/outbound-error.js'
import { maskedUrl } from '../url-passwords.js'
import type { AttemptResult } from './outbox-row.js'

const TIMEOUT_MS = 10_000

/**
 * The headers of a signed event: `t=seconds,v1=hex`, HMAC-SHA-256 with a secret
 * that the receiver knows, over `t.body`.
 */
export function signedHeaders(body: string, secret: string, now: number): Record<string, string> {
  const time = String(Math.floor(now / 1_000))
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  return {
    'Content-Type': 'application/json',
    'X-Trunkline-Signature': `t=${time},v1=${signature}`,
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
