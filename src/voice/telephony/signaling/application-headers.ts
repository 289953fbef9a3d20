import type { SipMessage } from 'drachtio-srf'
import type { SipHeader } from '../port.js'
import { MAX_HEADERS, MAX_TEXT_CHARS, MAX_VALUE_CHARS } from './bounded.js'

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
