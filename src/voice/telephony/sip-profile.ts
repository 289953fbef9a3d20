/** The SIP profile of freeswitch-conf that takes our INVITEs, as `sofia status profile` tells of it. */

import { isIP, isIPv6 } from 'node:net'
import { isInRanges } from '../../platform/cidr.js'

/** The name of the profile; drachtio-fsmrf looks it up. */
export const SIP_PROFILE = 'drachtio_mrf'

export interface SipProfile {
  /** Where it takes SIP: `127.0.0.1:5080`. */
  readonly sipAddress: string | undefined
  /** The address at which its channels take RTP, which their SDP names. */
  readonly rtpAddress: string | undefined
  /** The address to which parties shall send their audio: another one behind a NAT. */
  readonly advertisedRtpAddress: string | undefined
  /** The names of the codecs that it takes, in capitals, of modules that may not be loaded. */
  readonly codecs: readonly string[]
}

/** Reads the answer to `sofia status profile`; undefined when there is no such profile. */
export function sipProfileOf(answer: string): SipProfile | undefined {
  const field = (name: string) => {
    const [, value] = new RegExp(`^${name}[ \\t]+(\\S+)`, 'm').exec(answer) ?? []
    return value === 'N/A' ? undefined : value
  }
  // A profile that does not exist is answered with a sentence.
  if (field('Name') === undefined) return undefined
  const [, sipAddress] = /^sip:[^@\s]*@(\S+)/.exec(field('URL') ?? '') ?? []
  const rtpAddress = field('RTP-IP')
  const outside = field('Ext-RTP-IP')?.replace(/^autonat:/, '') ?? ''
  // It may be a name or the address of a STUN server, which FreeSWITCH resolves by itself.
  const advertisedRtpAddress = isIP(outside) === 0 ? rtpAddress : outside
  const codecs = (field('CODECS IN') ?? '').toUpperCase().split(',')
  return { sipAddress, rtpAddress, advertisedRtpAddress, codecs }
}

/**
 * The SDP of a channel as a party gets it. One whose signalling is in a local network gets the address at
 * which the channel takes RTP, every other one the address outside. So does a party whose address is not
 * known, and each one where the address outside is in such a network itself. FreeSWITCH does not choose
 * well: it looks at where the INVITE came from, which is drachtio, beside it.
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
