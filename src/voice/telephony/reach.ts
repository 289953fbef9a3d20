/** Whether servers can connect back to us, and parties can send to media servers. Pure. */
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The two ends of a connection to a server, as this machine sees them. */
export interface ConnectionEnds {
  readonly localAddress: string | undefined
  readonly remoteAddress: string | undefined
}

/**
 * True when a server cannot connect back to us: it is on another machine, and the address that it
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

const REMEDY = 'set RTP_IP or EXT_RTP_IP of freeswitch-conf/ to an address that parties reach'

/**
 * Why no party can send audio to the address; undefined when some can. `sipHosts` are the addresses at
 * which parties reach drachtio.
 */
export function rtpFault(
  rtpAddress: string | undefined,
  sipHosts: readonly string[],
): string | undefined {
  const range = rangeOf(rtpAddress)
  const told = `FreeSWITCH tells parties to send their audio to ${rtpAddress ?? ''}`
  if (range === 'unspecified') return `${told}, which is no address: ${REMEDY}`
  // Parties that reach drachtio from this machine alone reach loopback as well.
  if (range === 'loopback' && sipHosts.some((host) => rangeOf(host) !== 'loopback'))
    return `${told}, which is each party itself: ${REMEDY}`
  return undefined
}

/** The range of an address in any form; undefined for a name. */
function rangeOf(host: string | undefined): string | undefined {
  const bare = host?.replace(/^\[|\]$/g, '') ?? ''
  return ipaddr.isValid(bare) ? ipaddr.process(bare).range() : undefined
}
