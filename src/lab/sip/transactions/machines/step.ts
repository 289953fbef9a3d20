/** The timers and effects that the four transaction machines of RFC 3261 §17 share. */

import type { SipTiming } from '../../model/stack-types.js'

export interface StepContext {
  readonly timing: SipTiming
  /** A reliable transport (TCP) makes retransmissions and the waits for them unnecessary. */
  readonly isReliable: boolean
}

/**
 * The timers by the RFC's letters; `trying`, `ringing` and `cancel` are limits that it states
 * without a letter.
 */
export type TimerName =
  | 'A'
  | 'B'
  | 'D'
  | 'E'
  | 'F'
  | 'G'
  | 'H'
  | 'I'
  | 'J'
  | 'K'
  | 'L'
  | 'M'
  | 'trying'
  | 'ringing'
  | 'cancel'

export type Effect =
  /**
   * Sends the request of a client, or the last response of a server; again when it was sent before.
   */
  | { readonly type: 'send' }
  | { readonly type: 'send-trying' }
  | { readonly type: 'send-ack' }
  | { readonly type: 'send-cancel' }
  /** Hands the response to the user. */
  | { readonly type: 'deliver' }
  | { readonly type: 'fail'; readonly kind: 'timeout' | 'transport' }
  | { readonly type: 'arm'; readonly timer: TimerName; readonly ms: number }
  | { readonly type: 'disarm'; readonly timer: TimerName }

export interface Step<State> {
  readonly state: State
  readonly effects: readonly Effect[]
}

export type ClientEvent =
  | { readonly type: 'started' }
  | { readonly type: 'response'; readonly status: number }
  | { readonly type: 'timer'; readonly timer: TimerName }
  | { readonly type: 'cancel-requested' }
  | { readonly type: 'transport-failed' }

export type ServerEvent =
  | { readonly type: 'started' }
  /** The same request arrived once more. */
  | { readonly type: 'request' }
  | { readonly type: 'respond'; readonly status: number }
  | { readonly type: 'timer'; readonly timer: TimerName }
  /** The ACK for a final response other than 2xx arrived; it belongs to the transaction. */
  | { readonly type: 'ack' }
  /** The user saw the ACK for its 2xx. */
  | { readonly type: 'ack-received' }

export const SEND: Effect = { type: 'send' }
export const DELIVER: Effect = { type: 'deliver' }
export const TIMED_OUT: Effect = { type: 'fail', kind: 'timeout' }

export function arm(timer: TimerName, ms: number): Effect {
  return { type: 'arm', timer, ms }
}

export function disarm(timer: TimerName): Effect {
  return { type: 'disarm', timer }
}

export function go<State>(state: State, ...effects: Effect[]): Step<State> {
  return { state, effects }
}
