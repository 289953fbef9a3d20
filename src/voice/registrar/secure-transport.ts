import type { SipDomain } from '../sip-domains/sip-domain.js'
import { isSecureTransport } from '../telephony/secure-hop.js'
import { warning } from './warning.js'

/**
 * Returns the Warning header for a request without TLS to a secure domain; undefined for any other
 * request.
 */
export function secureWarning(
  { secure }: SipDomain,
  transport: string,
): Readonly<Record<string, string>> | undefined {
  if (!secure || isSecureTransport(transport)) return undefined
  return warning(32209, 'this domain takes requests over TLS only')
}
