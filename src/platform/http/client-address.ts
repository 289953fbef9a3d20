import { isInRanges } from '../cidr.js'

/**
 * Returns the address that a request comes from: the peer of the connection or, behind proxies that
 * the operator trusts, the last address of X-Forwarded-For that is not a proxy's. The header is
 * ignored when it comes from any other peer.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: readonly string[],
): string {
  const hops = [...(forwardedFor ?? '').split(',').map((hop) => hop.trim()), peer]
  for (const hop of hops.reverse()) {
    if (!isInRanges(hop, trustedProxies)) return hop === '' ? peer : hop
  }
  return peer
}
