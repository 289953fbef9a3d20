/** Decides which SIP hops are encrypted. Pure. */

const SECURE_TRANSPORTS = ['tls', 'wss']

/** True for an encrypted SIP transport. */
export function isSecureTransport(transport: string): boolean {
  return SECURE_TRANSPORTS.includes(transport.toLowerCase())
}

/**
 * True when an offer with SRTP keys may be accepted over this transport. When the server has TLS, keys are
 * accepted only over TLS (RFC 4568 §8.3), since the answer sends our keys on the same path.
 */
export function mayBringKeys(transport: string, hasTls: boolean): boolean {
  return isSecureTransport(transport) || !hasTls
}

/** True for a URI whose requests are sent over TLS: `sips:`, or a secure transport parameter. */
export function isSecureHop(uri: string): boolean {
  if (/^sips:/i.test(uri)) return true
  const [, transport = ''] = /;transport=([^;?>]+)/i.exec(uri) ?? []
  return isSecureTransport(transport)
}
