/** A peer's audio line for the media server. */
export interface PeerAudio {
  readonly sdp: string
  /** The address that the message with the peer's description came from; empty when it is not known. */
  readonly from: string
}

/** The audio line with the source of the message that brought it. */
export function peerAudio(
  peer: { readonly audio: string },
  message: { readonly source_address: string },
): PeerAudio {
  return { sdp: peer.audio, from: message.source_address }
}

/**
 * Tells the media server where the peer's signalling comes from, so that it takes RTP of a peer behind a
 * NAT from there only. The lab obeys it; FreeSWITCH keeps it as `sip_h_X-Signalling-Source`.
 */
export function sourceHeader({ from }: PeerAudio): Readonly<Record<string, string>> {
  return from === '' ? {} : { 'X-Signalling-Source': from }
}
