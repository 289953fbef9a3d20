import type { Clock } from '../../../platform/clock.js'
import type { Logger } from '../../../platform/log.js'
import type { Codec } from '../codecs.js'
import type { EndpointEvents } from '../freeswitch/media-endpoint.js'
import type { OwnOffer, PeerAudio } from '../freeswitch/peer-audio.js'
import type { LegMedia } from '../leg-media.js'
import type { Leg } from '../port.js'
import type { SignalingConnection } from '../signaling/signaling-connection.js'
import type { MadeEndpoint } from './endpoint-media.js'
import type { ReferLimits } from './referrals.js'

/** Returns why legs or their audio fail, in a sentence; undefined without a fault. */
export interface ServerFaults {
  ofSignaling(): string | undefined
  /** The first fault of any media server. */
  ofMedia(): string | undefined
  /** The fault of the media server of that name. */
  on(mediaServer: string): string | undefined
}

/** The collaborators of each leg. */
export interface LegDeps {
  readonly signaling: SignalingConnection
  /**
   * Creates an endpoint for the peer's audio, or for an offer of the media server; on the media server of
   * `beside` where possible. Rejects with AdapterError.
   */
  readonly createEndpoint: (
    audio: PeerAudio | OwnOffer,
    events: EndpointEvents,
    beside: LegMedia | undefined,
  ) => Promise<MadeEndpoint>
  /** The codecs that the media servers speak. */
  readonly codecs: readonly Codec[]
  readonly faults: ServerFaults
  readonly limits: LegLimits
  readonly onOver: (leg: Leg) => void
  readonly clock: Clock
  readonly log: Logger
}

export interface LegLimits {
  /** Maximum time from a CANCEL to the final response, ms. */
  readonly cancelMs: number
  /** Maximum time from a BYE to its response, ms. */
  readonly byeMs: number
  /** Maximum time from our 200 to its ACK, after which the dialog ends, ms: 64 * T1 (RFC 3261 §13.3.1.4). */
  readonly ackMs: number
  readonly refer: ReferLimits
}

export const DEFAULT_LIMITS: LegLimits = {
  cancelMs: 2_000,
  byeMs: 3_000,
  ackMs: 33_000,
  refer: { answerMs: 33_000, firstNoticeMs: 32_000, lastNoticeMs: 180_000 },
}

/** Calls a listener and logs its exception. Returns false when it threw. */
export function notify(log: Logger, listener: (() => void) | undefined): boolean {
  try {
    listener?.()
    return true
  } catch (err) {
    log.error({ err }, 'a listener of a leg threw')
    return false
  }
}
