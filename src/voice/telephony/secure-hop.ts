/** Tells which ways of SIP are encrypted. Pure. */

const SECURE_TRANSPORTS = ['tls', 'wss']

/** True for the transport of a message that nobody between could read. */
export function isSecureTransport(transport: string): boolean {
  return SECURE_TRANSPORTS.includes(transport.toLowerCase())
}

/** True for a URI that a request is sent to over TLS: `sips:`, or one with such a transport. */
export function isSecureHop(uri: string): boolean {
  if (/^sips:/i.test(uri)) return true
  const [, transport = ''] = /;transport=([^;?>]+)/i.exec(uri) ?? []
  return isSecureTransport(transport)
}
