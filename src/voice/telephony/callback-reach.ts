import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The two ends of a connection to a server, as this machine sees them. */
export interface ConnectionEnds {
  readonly localAddress: string | undefined
  readonly remoteAddress: string | undefined
}

/**
 * Tells whether a server cannot connect back to us: it is on another machine, and the address that it
 * is given is a loopback address, which is its own one there.
 */
export function isOutOfReach(
  callbackHost: string,
  { localAddress, remoteAddress }: ConnectionEnds,
): boolean {
  if (localAddress === undefined || remoteAddress === undefined) return false
  // A machine that connects to itself uses one address for both ends, or loopback.
  if (localAddress === remoteAddress || isLoopbackAddress(remoteAddress)) return false
  return callbackHost === 'localhost' || isLoopbackAddress(callbackHost)
}

/** Compares two addresses, in whichever form each is written. Loopback addresses are one host. */
export function isSameHost(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false
  if (isLoopbackAddress(one) && isLoopbackAddress(other)) return true
  return ipaddr.process(one).toString() === ipaddr.process(other).toString()
}

function isLoopbackAddress(text: string): boolean {
  const bare = text.replace(/^\[|\]$/g, '')
  if (!ipaddr.isValid(bare)) return false
  return (isIPv6(bare) ? ipaddr.process(bare) : ipaddr.parse(bare)).range() === 'loopback'
}
