import type { HangupCause } from '../model/hangup-cause.js'

export type CallState = 'DOWN' | 'RINGING' | 'EARLY' | 'ACTIVE' | 'HELD' | 'HANGUP' | 'UNHELD'
export type ChannelState =
  | 'CS_INIT'
  | 'CS_ROUTING'
  | 'CS_EXECUTE'
  | 'CS_SOFT_EXECUTE'
  | 'CS_EXCHANGE_MEDIA'
  | 'CS_PARK'
  | 'CS_HANGUP'
  | 'CS_REPORTING'
  | 'CS_DESTROY'

const CALL_STATE_NUMBERS: Readonly<Record<CallState, number>> = {
  DOWN: 0,
  RINGING: 2,
  EARLY: 3,
  ACTIVE: 4,
  HELD: 5,
  HANGUP: 7,
  UNHELD: 8,
}
const STATE_NUMBERS: Readonly<Record<ChannelState, number>> = {
  CS_INIT: 1,
  CS_ROUTING: 2,
  CS_SOFT_EXECUTE: 3,
  CS_EXECUTE: 4,
  CS_EXCHANGE_MEDIA: 5,
  CS_PARK: 6,
  CS_HANGUP: 10,
  CS_REPORTING: 11,
  CS_DESTROY: 12,
}

/** A channel's states, and the times at which it entered them (epoch milliseconds, 0 for never). */
export interface Progress {
  state: ChannelState
  callState: CallState
  answerState: 'ringing' | 'early' | 'answered' | 'hangup'
  cause: HangupCause | undefined
  readonly createdAt: number
  progressMediaAt: number
  answeredAt: number
  bridgedAt: number
  hungUpAt: number
}

export function newProgress(now: number): Progress {
  return {
    state: 'CS_INIT',
    callState: 'DOWN',
    answerState: 'ringing',
    cause: undefined,
    createdAt: now,
    progressMediaAt: 0,
    answeredAt: 0,
    bridgedAt: 0,
    hungUpAt: 0,
  }
}

export function callStateNumber(state: CallState): string {
  return String(CALL_STATE_NUMBERS[state])
}

/**
 * Returns the number of the state. A hung-up channel reports at least CS_HANGUP, although its state changes
 * only when its applications have ended.
 */
export function stateNumber({ state, cause }: Progress): string {
  const number = STATE_NUMBERS[state]
  return String(cause === undefined ? number : Math.max(number, STATE_NUMBERS.CS_HANGUP))
}
