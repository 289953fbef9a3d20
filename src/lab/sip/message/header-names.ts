/** The compact forms of header names (RFC 3261 §7.3.3, §20 and the IANA registry). */
const COMPACT: Readonly<Record<string, string>> = {
  a: 'Accept-Contact',
  b: 'Referred-By',
  c: 'Content-Type',
  d: 'Request-Disposition',
  e: 'Content-Encoding',
  f: 'From',
  i: 'Call-ID',
  j: 'Reject-Contact',
  k: 'Supported',
  l: 'Content-Length',
  m: 'Contact',
  o: 'Event',
  r: 'Refer-To',
  s: 'Subject',
  t: 'To',
  u: 'Allow-Events',
  v: 'Via',
  x: 'Session-Expires',
  y: 'Identity',
}

/**
 * The known headers in their usual spelling, whatever case they arrive in; others keep the sender's
 * spelling.
 */
const KNOWN = `Accept Accept-Encoding Accept-Language Alert-Info Allow Authorization Call-Info
Content-Disposition Content-Language CSeq Date Error-Info Expires In-Reply-To Max-Forwards
MIME-Version Min-Expires Min-SE Organization P-Asserted-Identity P-Preferred-Identity Path Priority
Privacy Proxy-Authenticate Proxy-Authorization Proxy-Require RAck Reason Record-Route Remote-Party-ID
Replaces Reply-To Require Retry-After Route RSeq Server Service-Route Subscription-State Timestamp
Unsupported User-Agent Warning WWW-Authenticate`

const NAMES = new Map<string, string>()
for (const [compact, name] of Object.entries(COMPACT)) {
  NAMES.set(compact, name)
  NAMES.set(name.toLowerCase(), name)
  NAMES.set(name, name)
}
for (const name of KNOWN.split(/\s+/)) {
  NAMES.set(name.toLowerCase(), name)
  NAMES.set(name, name)
}

/** Returns the usual spelling of a header's name and expands its compact form. */
export function expandHeaderName(name: string): string {
  return NAMES.get(name) ?? NAMES.get(name.toLowerCase()) ?? name
}

export function isSameHeader(a: string, b: string): boolean {
  if (a === b) return true
  // Most names differ in length or first letter; only the rest is worth a copy in lower case.
  if (a.length !== b.length || (a.charCodeAt(0) | 0x20) !== (b.charCodeAt(0) | 0x20)) return false
  return a.toLowerCase() === b.toLowerCase()
}
