import type { SipStep } from '../port.js'
import { bounded, MAX_TEXT_CHARS } from '../signaling/headers.js'

interface Headers {
  get?: (name: string) => string | undefined
}

/** Headers shown in the event log. They distinguish similar messages, or explain a refusal. */
const SHOWN = ['CSeq', 'Reason', 'Warning', 'Retry-After', 'Refer-To', 'Subscription-State']

/** Returns a message as the event log shows it: its first line and the headers in `SHOWN`. */
export function sipStep(direction: SipStep['direction'], text: string, message?: Headers): SipStep {
  const headers: Record<string, string> = {}
  for (const name of SHOWN) {
    const value = message?.get?.(name)
    if (value !== undefined) headers[name] = bounded(value, MAX_TEXT_CHARS)
  }
  return {
    direction,
    message: bounded(text, MAX_TEXT_CHARS),
    headers: Object.keys(headers).length > 0 ? headers : undefined,
  }
}

/** Returns a response as a step of the event log, such as `180 Ringing`. */
export function responseStep(
  direction: SipStep['direction'],
  response: Headers & { readonly status: number; readonly reason: string },
): SipStep {
  return sipStep(direction, `${String(response.status)} ${response.reason}`.trim(), response)
}
