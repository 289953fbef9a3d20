/** A peer's audio line, as it is handed to the media server. */
export interface PeerAudio {
  readonly sdp: string
  /** The address that sent the message with the peer's SDP; empty when it is not known. */
  readonly from: string
}

/** Pairs the audio line with the address that sent it. */
export function peerAudio(
  peer: { readonly audio: string },
  message: { readonly source_address: string },
): PeerAudio {
  return { sdp: peer.audio, from: message.source_address }
}

/**
 * The header that tells the media server where the peer's signalling comes from, so that it takes
 * the RTP of a peer behind a NAT from there only. The lab obeys it; FreeSWITCH keeps it as
 * `sip_h_X-Signalling-Source`.
 */
export function sourceHeader({ from }: PeerAudio): Readonly<Record<string, string>> {
  return from === '' ? {} : { 'X-Signalling-Source': from }
}
