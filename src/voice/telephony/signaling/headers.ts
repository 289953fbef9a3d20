/**
 * Reads headers of SIP messages, and bounds the parts that end up in webhooks, logs and rows. The stack
 * bounds the message as a whole.
 */
import type { SipMessage } from 'drachtio-srf'
import type { SipHeader } from '../port.js'

/** The longest display name, reason phrase or User-Agent; no telephone shows more. */
export const MAX_TEXT_CHARS = 256
/** The longest value of another header. STIR's Identity is the longest that carriers send. */
export const MAX_VALUE_CHARS = 4_096
/** The most headers of one message that an application sees. */
export const MAX_HEADERS = 64
/** The longest URI. A cut URI would mean something else; RFC 4475 §3.1.1.7 has one of 330. */
export const MAX_URI_CHARS = 1_024
/** The longest Call-ID. It names the dialog. */
export const MAX_CALL_ID_CHARS = 512
/** The longest From or To as a whole: name, URI and parameters. */
export const MAX_PARTY_CHARS = 2_048
/** The longest body of a MESSAGE: the longest text in several alternatives. */
export const MAX_TEXT_BODY_CHARS = 8_192

/** The text, cut to this many characters. A surrogate pair is not torn apart. */
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

/**
 * The headers of a message for the application, in order. Headers that are too long are left out.
 */
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

/** Reads a header in seconds, without its comment and parameters (RFC 3261 §20.19, §20.33). */
export function secondsOf(text: string | undefined): number | undefined {
  const [, digits] = /^\s*(\d{1,9})\b/.exec(text ?? '') ?? []
  return digits === undefined ? undefined : Number(digits)
}
