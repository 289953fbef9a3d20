import type { SrtpSuite } from '../../../platform/sdes/crypto-attribute.js'
import type { AudioCodec } from '../codecs/audio-codec.js'

/** The keys of a secure exchange: master key and salt in base64, one for each direction. */
export interface SrtpKeys {
  readonly suite: SrtpSuite
  readonly sendKey: string
  readonly receiveKey: string
}

/** The peer's side of the SDP exchange: where and how to send to it. */
export interface RemoteMedia {
  readonly address: string
  readonly port: number
  /**
   * The source address of the SIP message with the description. A peer whose description names an
   * address of its own network is heard only from there.
   */
  readonly signallingAddress?: string
  readonly codec: AudioCodec
  /** Packet length that the peer requests, ms; 20 when absent. */
  readonly ptimeMs?: number
  /** The payload type of telephone-event (RFC 4733); absent when the peer does not support it. */
  readonly dtmfPayloadType?: number
  /** The payload type of telephone-event in our own SDP, if it differs. */
  readonly localDtmfPayloadType?: number
  /** Our own direction after the exchange: `sendonly` means that received packets are ignored. */
  readonly direction: 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'
  /** The SRTP keys; absent for unencrypted audio. */
  readonly srtp?: SrtpKeys
  /**
   * The packets that are sent while nothing plays. `sent`, the default: silence, always.
   * `after-sound`: silence, but not a packet before the first sound or key, as FreeSWITCH does for
   * a call that still rings. `suppressed`: nothing.
   */
  readonly silence?: 'sent' | 'after-sound' | 'suppressed'
}
