import { isIP } from 'node:net'
import { parseUri } from '../../../platform/sip-grammar/uri.js'
import { warning } from '../../registrar/warning.js'
import type { SipDomain } from '../../sip-domains/sip-domain.js'
import type { SipDomains } from '../../sip-domains/sip-domains.js'

/** The header of the 404 to a softphone that is set to a domain that does not exist. */
export const UNKNOWN_DOMAIN = warning(32002, 'there is no such SIP domain')

/** The host that a request is for: a SIP domain of an account, another name, or an address. */
export type NamedHost =
  | { readonly type: 'domain'; readonly domain: SipDomain }
  | { readonly type: 'other-name' | 'address' }

/** Finds the SIP domain that is the host of a URI. */
export async function namedHost(
  uri: string,
  domains: Pick<SipDomains, 'find'>,
): Promise<NamedHost> {
  const host = parseUri(uri)?.host
  // A scanner knows addresses, not names: it costs no look into the database.
  if (host === undefined || isIP(host) !== 0 || !host.includes('.')) return { type: 'address' }
  const domain = await domains.find(host)
  return domain === undefined ? { type: 'other-name' } : { type: 'domain', domain }
}
