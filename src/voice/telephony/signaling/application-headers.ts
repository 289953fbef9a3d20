import type { SipMessage } from 'drachtio-srf'
import type { SipHeader } from '../port.js'

/** Carried by every INVITE and its response, or the server's business: of no use to an application. */
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

/** What an application may want of a message, in order. */
export function applicationHeaders({ headers }: SipMessage): readonly SipHeader[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || PLUMBING.includes(name.toLowerCase()) ? [] : [{ name, value }],
  )
}
