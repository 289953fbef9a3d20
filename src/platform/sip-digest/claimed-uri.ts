/**
 * Compares the URI that a digest was made for with the Request-URI (RFC 7616 §3.4.6): credentials for one
 * target are none for another. A nonce belongs to one place of ours, so the user is what tells targets apart.
 *
 * These count as the same, since real clients differ in them:
 *
 * | Part | Counts as the same |
 * |---|---|
 * | scheme | `sip`, `sips` and `tel`, in any case |
 * | user | with and without escapes (`%2B`, `+`); any user in a REGISTER, whose target has none (RFC 3261 §10.2) |
 * | user | none, beside an address for a host: SIPp and others write their next hop |
 * | host | any case; an IP address on either side, which is a next hop, or was put there by a proxy |
 * | the rest | password, port, parameters (`;transport=`, `;user=phone`) and headers do not count |
 */
import { isIP } from 'node:net'
import { parseUri, type SipUri } from '../sip-grammar/uri.js'

export interface DigestTarget {
  readonly method: string
  readonly requestUri: string
}

/** True when a digest for the claimed URI may be used for the request. */
export function isClaimFor(claimed: string, { method, requestUri }: DigestTarget): boolean {
  const claim = parseUri(claimed)
  const target = parseUri(requestUri)
  // A URI of another grammar (urn:service:sos) has no equivalences.
  if (claim === undefined || target === undefined) return claimed === requestUri
  if (!isSameHost(claim, target)) return false
  return method === 'REGISTER' || isSameUser(claim, target)
}

function isSameUser(claim: SipUri, target: SipUri): boolean {
  const isNextHop = claim.user === undefined && isIP(claim.host) !== 0
  return isNextHop || claim.user === target.user
}

function isSameHost(claim: SipUri, target: SipUri): boolean {
  const hosts = [claim.host, target.host].map((host) => host.toLowerCase())
  // A telephone number has no host.
  return hosts[0] === hosts[1] || hosts.some((host) => host === '' || isIP(host) !== 0)
}
