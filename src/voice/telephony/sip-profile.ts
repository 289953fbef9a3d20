/** The SIP profile of freeswitch-conf that takes our INVITEs, as `sofia status profile` tells of it. */

/** The name of the profile; drachtio-fsmrf looks it up. */
export const SIP_PROFILE = 'drachtio_mrf'

export interface SipProfile {
  /** Where it takes SIP: `127.0.0.1:5080`. */
  readonly sipAddress: string | undefined
  /** The address in the `c=` line of its SDP, to which parties send their audio. */
  readonly rtpAddress: string | undefined
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
  const rtpAddress = (field('Ext-RTP-IP') ?? field('RTP-IP'))?.replace(/^autonat:/, '')
  return { sipAddress, rtpAddress }
}
