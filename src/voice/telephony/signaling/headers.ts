/**
 * Reads headers of SIP messages, and limits the length of what reaches webhooks, logs and rows. The stack
 * limits the message as a whole.
 */
import type { SipMessage } from 'drachtio-srf'
import type { SipHeader } from '../port.js'

/** Maximum length of a display name, reason phrase or User-Agent, in characters; no phone shows more. */
export const MAX_TEXT_CHARS = 256
/**
 * Maximum length of any other header's value, in characters. STIR's Identity is the longest that carriers
 * send.
 */
export const MAX_VALUE_CHARS = 4_096
/** Maximum number of headers of one message that an application receives. */
export const MAX_HEADERS = 64
/**
 * Maximum length of a URI, in characters; a truncated URI would have another meaning. RFC 4475 §3.1.1.7 has
 * one of 330.
 */
export const MAX_URI_CHARS = 1_024
/** Maximum length of a Call-ID, in characters. */
export const MAX_CALL_ID_CHARS = 512
/** Maximum length of a whole From or To header (name, URI and parameters), in characters. */
export const MAX_PARTY_CHARS = 2_048
/** Maximum length of a MESSAGE body, in characters: the longest text in several alternatives. */
export const MAX_TEXT_BODY_CHARS = 8_192

/** Returns the text truncated to this many characters, without splitting a surrogate pair. */
export function bounded(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const isTorn = /[\uD800-\uDBFF]/.test(text.charAt(maxChars - 1))
  return text.slice(0, isTorn ? maxChars - 1 : maxChars)
}

/** Headers that an application does not need: every INVITE has them, or the server handles them. */
const PLUMBING = [
  'via',
  'from',
  'to',
  'call-id',
  'cseq',
  'contact',
  'max-forwards',
  'content-length',
  'content-type',
  'route',
  'record-route',
]

/** Returns the headers of a message for the application, in order. Headers that are too long are omitted. */
export function applicationHeaders({ headers }: Pick<SipMessage, 'headers'>): readonly SipHeader[] {
  return Object.entries(headers)
    .flatMap(([name, value]) =>
      value === undefined || !isShown(name, value) ? [] : [{ name, value }],
    )
    .slice(0, MAX_HEADERS)
}

function isShown(name: string, value: string): boolean {
  return (
    !PLUMBING.includes(name.toLowerCase()) &&
    name.length <= MAX_TEXT_CHARS &&
    value.length <= MAX_VALUE_CHARS
  )
}

/** Reads a number of seconds from a header, without its comment and parameters (RFC 3261 §20.19, §20.33). */
export function secondsOf(text: string | undefined): number | undefined {
  const [, digits] = /^\s*(\d{1,9})\b/.exec(text ?? '') ?? []
  return digits === undefined ? undefined : Number(digits)
}
