/** Reads the SIP profile that receives our INVITEs from `sofia status profile`. */

import { isIP, isIPv6 } from 'node:net'
import { isInRanges } from '../../platform/cidr.js'

/** The name of the profile; drachtio-fsmrf looks it up. */
export const SIP_PROFILE = 'drachtio_mrf'

export interface SipProfile {
  /** The address and port of its SIP listener: `127.0.0.1:5080`. */
  readonly sipAddress: string | undefined
  /** The address at which its channels receive RTP; their SDP contains it. */
  readonly rtpAddress: string | undefined
  /** The address to which peers must send audio; it differs from `rtpAddress` behind a NAT. */
  readonly advertisedRtpAddress: string | undefined
  /** The profile's codec names, in capitals; their modules may not be loaded. */
  readonly codecs: readonly string[]
}

/** Parses the answer to `sofia status profile`; undefined when the profile does not exist. */
export function sipProfileOf(answer: string): SipProfile | undefined {
  const field = (name: string) => {
    const [, value] = new RegExp(`^${name}[ \\t]+(\\S+)`, 'm').exec(answer) ?? []
    return value === 'N/A' ? undefined : value
  }
  // For a missing profile, FreeSWITCH answers with a sentence instead.
  if (field('Name') === undefined) return undefined
  const [, sipAddress] = /^sip:[^@\s]*@(\S+)/.exec(field('URL') ?? '') ?? []
  const rtpAddress = field('RTP-IP')
  const outside = field('Ext-RTP-IP')?.replace(/^autonat:/, '') ?? ''
  // It may be a host name or a STUN server, which only FreeSWITCH resolves.
  const advertisedRtpAddress = isIP(outside) === 0 ? rtpAddress : outside
  const codecs = (field('CODECS IN') ?? '').toUpperCase().split(',')
  return { sipAddress, rtpAddress, advertisedRtpAddress, codecs }
}

/**
 * Returns a channel's SDP as a peer must see it. A peer in a local network gets the channel's
 * internal address. All others get the external one, and so does everybody when the external
 * address is in a local network itself. FreeSWITCH cannot choose correctly: it only sees that the
 * INVITE came from drachtio, beside it.
 */
export function partySdp(
  sdp: string,
  profile: Pick<SipProfile, 'rtpAddress' | 'advertisedRtpAddress'>,
  party: string | undefined,
  localNetworks: readonly string[],
): string {
  const { rtpAddress: inside, advertisedRtpAddress: outside } = profile
  if (inside === undefined || outside === undefined || inside === outside) return sdp
  const isLocal = (address: string) => isInRanges(address, localNetworks)
  const shown = isLocal(party ?? '') && !isLocal(outside) ? inside : outside
  const family = isIPv6(shown) ? 'IP6' : 'IP4'
  return sdp.replaceAll(/\bIN IP[46] (\S+)/g, (line, address: string) =>
    address === inside || address === outside ? `IN ${family} ${shown}` : line,
  )
}
