/**
 * Spells and orders the headers that the server composes. The order is that of the SIP stack inside the real
 * server. Applications should not depend on it, but it makes recordings of the real server easier to compare.
 */
import type { SipHeader } from '../sip/message/types.js'

const ORDER = [
  'Via',
  'Route',
  'Record-Route',
  'Max-Forwards',
  'Proxy-Require',
  'From',
  'To',
  'Call-ID',
  'CSeq',
  'Contact',
  'RSeq',
  'RAck',
  'Request-Disposition',
  'Accept-Contact',
  'Reject-Contact',
  'Expires',
  'Date',
  'Retry-After',
  'Timestamp',
  'Min-Expires',
  'Subject',
  'Priority',
  'Call-Info',
  'Organization',
  'Server',
  'User-Agent',
  'In-Reply-To',
  'Accept',
  'Accept-Encoding',
  'Accept-Language',
  'Allow',
  'Require',
  'Supported',
  'Unsupported',
  'Event',
  'Allow-Events',
  'Subscription-State',
  'Proxy-Authenticate',
  'Proxy-Authentication-Info',
  'Proxy-Authorization',
  'Authorization',
  'WWW-Authenticate',
  'Authentication-Info',
  'Error-Info',
  'Warning',
  'Refer-To',
  'Referred-By',
  'Replaces',
  'Session-Expires',
  'Min-SE',
  'Path',
  'Service-Route',
  'Reason',
  'Security-Client',
  'Security-Server',
  'Security-Verify',
  'Privacy',
  'SIP-ETag',
  'SIP-If-Match',
  'MIME-Version',
  'Content-Type',
  'Content-Encoding',
  'Content-Language',
  'Content-Disposition',
  'Content-Length',
  'Refer-Sub',
  'Alert-Info',
  'Reply-To',
  'P-Asserted-Identity',
  'P-Preferred-Identity',
  'Remote-Party-ID',
] as const

const PLACES: ReadonlyMap<string, { readonly at: number; readonly name: string }> = new Map(
  ORDER.map((name, at) => [name.toLowerCase(), { at, name }]),
)

/**
 * Spells a header's name: known headers as usual, `X-…` unchanged, others with a capital at the start and
 * after each dash.
 */
export function headerName(name: string): string {
  const known = PLACES.get(name.toLowerCase())
  if (known !== undefined) return known.name
  if (/^x-/i.test(name)) return name
  return name.replace(/(^|-)([a-z])/g, (letter) => letter.toUpperCase())
}

/**
 * Sorts the headers by ORDER, unknown headers last. The sort is stable: headers with the same name keep their
 * order.
 */
export function inOrder(headers: readonly SipHeader[]): SipHeader[] {
  const place = (header: SipHeader): number =>
    PLACES.get(header.name.toLowerCase())?.at ?? ORDER.length
  return [...headers].sort((a, b) => place(a) - place(b))
}
