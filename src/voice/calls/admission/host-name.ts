import { isIP } from 'node:net'
import { parseUri } from '../../../platform/sip-grammar/uri.js'
import { warning } from '../../registrar/warning.js'

/** The header of the 404 to a softphone that is set to a domain that does not exist. */
export const UNKNOWN_DOMAIN = warning(32002, 'there is no such SIP domain')

/** The name of the host of a URI, which may be that of a SIP domain; undefined for an address. */
export function hostName(uri: string): string | undefined {
  const host = parseUri(uri)?.host
  // A scanner knows addresses, not names.
  return host === undefined || isIP(host) !== 0 || !host.includes('.') ? undefined : host
}
