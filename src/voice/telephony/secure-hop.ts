/** Tells which ways of SIP are encrypted. Pure. */

const SECURE_TRANSPORTS = ['tls', 'wss']

/** True for the transport of a message that nobody between could read. */
export function isSecureTransport(transport: string): boolean {
  return SECURE_TRANSPORTS.includes(transport.toLowerCase())
}

/**
 * True for the transport of an offer whose keys may be taken: where there is TLS, keys go over nothing
 * else (RFC 4568 §8.3), since ours would follow the caller's.
 */
export function mayBringKeys(transport: string, hasTls: boolean): boolean {
  return isSecureTransport(transport) || !hasTls
}

/** True for a URI that a request is sent to over TLS: `sips:`, or one with such a transport. */
export function isSecureHop(uri: string): boolean {
  if (/^sips:/i.test(uri)) return true
  const [, transport = ''] = /;transport=([^;?>]+)/i.exec(uri) ?? []
  return isSecureTransport(transport)
}
