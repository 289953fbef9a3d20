/** Checks whether servers can connect back to us and whether peers can send audio to media servers. Pure. */
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The two ends of a connection to a server, as this machine sees them. */
export interface ConnectionEnds {
  readonly localAddress: string | undefined
  readonly remoteAddress: string | undefined
}

/**
 * True when a server cannot connect back to us: it is on another machine, and `callbackHost` is a
 * loopback address, which would mean the server itself.
 */
export function isOutOfReach(
  callbackHost: string,
  { localAddress, remoteAddress }: ConnectionEnds,
): boolean {
  if (localAddress === undefined || remoteAddress === undefined) return false
  // A machine that connects to itself uses loopback, or one address for both ends.
  if (localAddress === remoteAddress || isLoopbackAddress(remoteAddress)) return false
  return callbackHost === 'localhost' || isLoopbackAddress(callbackHost)
}

/** True when both addresses mean one host, in any notation. All loopback addresses are one host. */
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

const REMEDY = 'set RTP_IP or EXT_RTP_IP of freeswitch-conf/ to an address that parties reach'

/**
 * Returns why no peer can send audio to the address; undefined when some can. `sipHosts` are the
 * addresses at which peers reach drachtio.
 */
export function rtpFault(
  rtpAddress: string | undefined,
  sipHosts: readonly string[],
): string | undefined {
  const range = rangeOf(rtpAddress)
  const told = `FreeSWITCH tells parties to send their audio to ${rtpAddress ?? ''}`
  if (range === 'unspecified') return `${told}, which is no address: ${REMEDY}`
  // When drachtio listens on loopback only, all peers are on this machine and reach loopback.
  if (range === 'loopback' && sipHosts.some((host) => rangeOf(host) !== 'loopback'))
    return `${told}, which is each party itself: ${REMEDY}`
  return undefined
}

/** Returns the address range in ipaddr.js's terms; undefined for a host name. */
function rangeOf(host: string | undefined): string | undefined {
  const bare = host?.replace(/^\[|\]$/g, '') ?? ''
  return ipaddr.isValid(bare) ? ipaddr.process(bare).range() : undefined
}
