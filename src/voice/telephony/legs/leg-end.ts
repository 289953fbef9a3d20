/** Hangup causes: how a leg ended. Pure. */
import type { LegEnd } from '../port.js'
import { bounded, MAX_TEXT_CHARS } from '../signaling/headers.js'

/** A final response to our INVITE: the peer's, or our own stack's for a silent peer. */
export interface FinalResponse {
  readonly status: number
  readonly reason: string
  /** False when our own stack made the response: no route, no listener, or no answer. */
  readonly isFromPeer: boolean
  /** The Retry-After header, in seconds (RFC 3261 §20.33). */
  readonly retryAfterSeconds?: number | undefined
  readonly obstacle?: LegEnd['obstacle']
}

export function endOfRefusal(response: FinalResponse): LegEnd {
  const cause = response.isFromPeer ? 'rejected' : 'unreachable'
  const reason = bounded(response.reason, MAX_TEXT_CHARS)
  const { status: sipStatus, retryAfterSeconds, obstacle } = response
  return { cause, sipStatus, reason, retryAfterSeconds, obstacle }
}

/** The end of a leg that we cancelled before the answer. */
export const CANCELED: LegEnd = { cause: 'canceled', sipStatus: 487 }
/**
 * The end of a leg whose peer sent no provisional response in time, so nothing could be cancelled (RFC 3261
 * §9.1).
 */
export const NO_ANSWER: LegEnd = { cause: 'no-answer', sipStatus: 408 }
/** The end of a leg that rang, was not answered in time and was cancelled; the final response is 487. */
export const RUNG_OUT: LegEnd = { cause: 'no-answer', sipStatus: 487 }
export const LOCAL_HANGUP: LegEnd = { cause: 'local-hangup', sipStatus: 200 }
export const REMOTE_HANGUP: LegEnd = { cause: 'remote-hangup', sipStatus: 200 }
/** The end of a leg whose 2xx got no ACK, which ends the dialog (RFC 3261 §13.3.1.4). */
export const NO_ACK: LegEnd = { cause: 'no-ack', sipStatus: 200 }
/** The end of a leg whose peer sent no 18x response in time, so that the next route is tried. */
export const NO_PROGRESS: LegEnd = {
  cause: 'unreachable',
  sipStatus: 408,
  reason: 'no progress in time',
}
export const UNSENDABLE: LegEnd = { cause: 'unreachable', sipStatus: 503 }

/** The end of a leg that requires TLS on a server without TLS. */
export const NO_TLS: LegEnd = {
  cause: 'unreachable',
  sipStatus: 503,
  reason: 'the signaling server has no TLS',
  obstacle: 'no-tls',
}
/** RFC 3261 §26.2.2: a request for a SIPS URI uses TLS on each hop. */
export const SIPS_IN_CLEAR: LegEnd = {
  cause: 'unreachable',
  sipStatus: 503,
  reason: 'a SIPS URI is called over TLS only',
  obstacle: 'no-tls',
}
/** RFC 4568 §8.3: SRTP keys are only sent over an encrypted hop. */
export const CLEAR_KEYS: LegEnd = {
  cause: 'unreachable',
  sipStatus: 488,
  reason: 'keys of SRTP go over TLS only',
  obstacle: 'clear-keys',
}

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
