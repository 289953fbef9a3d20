import type { SipDomain } from '../sip-domains/sip-domain.js'
import { isSecureTransport } from '../telephony/secure-hop.js'
import { warning } from './warning.js'

/** The header of the refusal when a secure domain got a request without TLS; otherwise undefined. */
export function secureWarning(
  { secure }: SipDomain,
  transport: string,
): Readonly<Record<string, string>> | undefined {
  if (!secure || isSecureTransport(transport)) return undefined
  return warning(32209, 'this domain takes requests over TLS only')
}
