/** Hangup causes: how a leg ended, from what happened. Pure. */
import type { LegEnd } from '../port.js'
import { bounded, MAX_TEXT_CHARS } from '../signaling/bounded.js'

/** A final response to our INVITE: the peer's, or one that our own stack made up for a silent peer. */
export interface FinalResponse {
  readonly status: number
  readonly reason: string
  /** False when no packet brought it: no route, nobody listening, no answer at all. */
  readonly isFromPeer: boolean
}

export function endOfRefusal(response: FinalResponse): LegEnd {
  const cause = response.isFromPeer ? 'rejected' : 'unreachable'
  const reason = bounded(response.reason, MAX_TEXT_CHARS)
  return { cause, sipStatus: response.status, reason }
}

/** We gave up before the answer. */
export const CANCELED: LegEnd = { cause: 'canceled', sipStatus: 487 }
/** The peer never said in time that it rings, so there was nothing to cancel (RFC 3261 §9.1). */
export const NO_ANSWER: LegEnd = { cause: 'no-answer', sipStatus: 408 }
/** The peer rang, nobody answered in time, and we cancelled: its final response is 487. */
export const RUNG_OUT: LegEnd = { cause: 'no-answer', sipStatus: 487 }
export const LOCAL_HANGUP: LegEnd = { cause: 'local-hangup', sipStatus: 200 }
export const REMOTE_HANGUP: LegEnd = { cause: 'remote-hangup', sipStatus: 200 }
/** RFC 3261 §13.3.1.4: a 2xx that is never acknowledged ends the dialog. */
export const NO_ACK: LegEnd = { cause: 'no-ack', sipStatus: 200 }
export const UNSENDABLE: LegEnd = { cause: 'unreachable', sipStatus: 503 }

export function mediaLost(wasAnswered: boolean, reason?: string): LegEnd {
  return lost('media-lost', wasAnswered, reason)
}

export function signalingLost(wasAnswered: boolean, reason?: string): LegEnd {
  return lost('signaling-lost', wasAnswered, reason)
}

function lost(
  cause: 'media-lost' | 'signaling-lost',
  wasAnswered: boolean,
  reason: string | undefined,
): LegEnd {
  return { cause, sipStatus: wasAnswered ? 200 : 503, reason }
}
