import type { MediaSecurity, PeerSdp } from '../sdp.js'

/** A peer's audio line, as it is handed to the media server. */
export interface PeerAudio {
  readonly sdp: string
  /** The address that sent the message with the peer's SDP; empty when it is not known. */
  readonly from: string
  readonly security: MediaSecurity
}

/** An offer that the media server makes. */
export interface OwnOffer {
  readonly offer: MediaSecurity
  /** The address that the offer goes to; undefined when it is not known. */
  readonly party: string | undefined
}

/** Pairs the audio line with the address that sent it. */
export function peerAudio(
  peer: Pick<PeerSdp, 'audio' | 'security'>,
  message: { readonly source_address: string },
): PeerAudio {
  return { sdp: peer.audio, from: message.source_address, security: peer.security }
}

/**
 * The header that tells the media server where the peer's signalling comes from, so that it takes
 * the RTP of a peer behind a NAT from there only. The lab obeys it; FreeSWITCH keeps it as
 * `sip_h_X-Signalling-Source`.
 */
export function sourceHeader({ from }: Pick<PeerAudio, 'from'>): Readonly<Record<string, string>> {
  return from === '' ? {} : { 'X-Signalling-Source': from }
}

/**
 * The header that makes a channel speak SRTP, and nothing else: the dialplan sets
 * `rtp_secure_media=mandatory` for it, before the media server describes itself. A channel variable
 * that is set later comes too late.
 */
export function securityHeader(security: MediaSecurity): Readonly<Record<string, string>> {
  return security === 'secure' ? { 'X-Secure-RTP': 'true' } : {}
}
