import type { SipDomain } from '../sip-domains/sip-domain.js'
import { warning } from './warning.js'

const SECURE_TRANSPORTS = ['tls', 'wss']

/** The header of the refusal when a secure domain got a request without TLS; otherwise undefined. */
export function secureWarning(
  { secure }: SipDomain,
  transport: string,
): Readonly<Record<string, string>> | undefined {
  if (!secure || SECURE_TRANSPORTS.includes(transport.toLowerCase())) return undefined
  return warning(32209, 'this domain takes requests over TLS only')
}
