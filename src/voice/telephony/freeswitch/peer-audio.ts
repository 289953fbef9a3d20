import type { MediaSecurity, PeerSdp } from '../sdp.js'

/** A peer's audio line in the form for the media server. */
export interface PeerAudio {
  readonly sdp: string
  /** The address that sent the message with the peer's SDP; empty when not known. */
  readonly from: string
  readonly security: MediaSecurity
}

/** An offer that the media server must make. */
export interface OwnOffer {
  readonly offer: MediaSecurity
  /** The address of the peer that gets the offer; undefined when not known. */
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
 * Returns the header with the source address of the peer's signaling, so that the media server accepts RTP of
 * a peer behind a NAT only from there. The lab obeys it; FreeSWITCH stores it as `sip_h_X-Signalling-Source`.
 */
export function sourceHeader({ from }: Pick<PeerAudio, 'from'>): Readonly<Record<string, string>> {
  return from === '' ? {} : { 'X-Signalling-Source': from }
}

/**
 * Returns the header that makes a channel use SRTP only: the dialplan then sets `rtp_secure_media=mandatory`
 * before the media server creates its SDP. A channel variable would be set too late.
 */
export function securityHeader(security: MediaSecurity): Readonly<Record<string, string>> {
  return security === 'secure' ? { 'X-Secure-RTP': 'true' } : {}
}
