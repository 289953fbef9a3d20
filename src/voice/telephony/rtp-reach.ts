/** Whether parties can send their audio to the address that a media server gives them. Pure. */
import ipaddr from 'ipaddr.js'

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
