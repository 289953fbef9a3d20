/**
 * The life of a leg that we dial. Pure: timers and messages are effects, and come back as events.
 *
 *   preparing ─ media-ready ─▶ inviting ─ provisional ─▶ ringing ─ accepted ─▶ joining ─▶ answered
 *       │                        └───────────┬─────────────┘                    └────┬─────┘
 *       │                              canceling ─ accepted ─▶ closing ◀─ hangup, media-lost
 *       └──────────────────────────────── final ────▶ ended ◀──┘ dialog-over
 */
import { assertNever } from '../../../platform/errors.js'
import { enter, type Step, stay } from '../../../platform/step.js'
import type { LegEnd } from '../port.js'
import {
  CANCELED,
  endOfRefusal,
  type FinalResponse,
  LOCAL_HANGUP,
  mediaLost,
  NO_ANSWER,
  REMOTE_HANGUP,
  RUNG_OUT,
  signalingLost,
  UNSENDABLE,
} from './leg-end.js'

export type OutboundState =
  | { readonly state: 'preparing' | 'inviting' | 'ringing' | 'joining' | 'answered' }
  /** The leg ends as `end`, whatever event follows. `canceling`: the CANCEL is sent. */
  | { readonly state: 'canceling' | 'closing' | 'ended'; readonly end: LegEnd }

export type OutboundEvent =
  | { readonly type: 'media-ready' | 'media-joined' | 'unsendable' | 'accepted' | 'provisional' }
  | { readonly type: 'media-failed'; readonly reason: string }
  | { readonly type: 'refused'; readonly response: FinalResponse }
  | { readonly type: 'hangup' | 'ring-limit' | 'cancel-limit' | 'bye' | 'dialog-over' }
  | { readonly type: 'media-lost' | 'signaling-lost' }

/** The machine's effect. `finish` frees everything and then reports the end, once. */
export interface OutboundEffect {
  readonly type: 'invite' | 'cancel' | 'join-media' | 'bye' | 'report-answered' | 'finish'
}

export type OutboundStep = Step<OutboundState, OutboundEffect>

export function stepOutbound(state: OutboundState, event: OutboundEvent): OutboundStep {
  switch (state.state) {
    case 'preparing':
      return whilePreparing(state, event)
    case 'inviting':
    case 'ringing':
      return whileUnanswered(state, event)
    case 'joining':
    case 'answered':
      return whileUp(state, event)
    case 'canceling':
      return whileCanceling(state, event)
    case 'closing':
      return whileClosing(state, event)
    case 'ended':
      return stay(state)
    default:
      return assertNever(state)
  }
}

function whilePreparing(state: OutboundState, event: OutboundEvent): OutboundStep {
  switch (event.type) {
    case 'media-ready':
      return enter({ state: 'inviting' }, { type: 'invite' })
    case 'media-failed':
      return end(mediaLost(false, event.reason))
    case 'media-lost':
      return end(mediaLost(false))
    case 'signaling-lost':
      return end(signalingLost(false))
    case 'hangup':
      return end(CANCELED)
    default:
      return stay(state)
  }
}

function whileUnanswered(state: OutboundState, event: OutboundEvent): OutboundStep {
  switch (event.type) {
    case 'provisional':
      return enter({ state: 'ringing' })
    case 'accepted':
      return enter({ state: 'joining' }, { type: 'join-media' })
    case 'refused':
      return end(endOfRefusal(event.response))
    case 'unsendable':
      return end(UNSENDABLE)
    case 'hangup':
      return enter({ state: 'canceling', end: CANCELED }, { type: 'cancel' })
    case 'ring-limit':
      return enter(
        { state: 'canceling', end: state.state === 'ringing' ? RUNG_OUT : NO_ANSWER },
        { type: 'cancel' },
      )
    case 'media-lost':
      return enter({ state: 'canceling', end: mediaLost(false) }, { type: 'cancel' })
    case 'signaling-lost':
      return end(signalingLost(false))
    default:
      return stay(state)
  }
}

function whileUp(state: OutboundState, event: OutboundEvent): OutboundStep {
  switch (event.type) {
    case 'media-joined':
      return state.state === 'joining'
        ? enter({ state: 'answered' }, { type: 'report-answered' })
        : stay(state)
    case 'hangup':
      return enter({ state: 'closing', end: LOCAL_HANGUP }, { type: 'bye' })
    case 'media-failed':
      return enter({ state: 'closing', end: mediaLost(true, event.reason) }, { type: 'bye' })
    case 'media-lost':
      return enter({ state: 'closing', end: mediaLost(true) }, { type: 'bye' })
    case 'bye':
      return end(REMOTE_HANGUP)
    case 'signaling-lost':
      return end(signalingLost(true))
    default:
      return stay(state)
  }
}

/**
 * Handles events after our CANCEL. A 200 may cross it: the dialog then exists, and only a BYE ends
 * it (RFC 3261 §9.1, §15).
 */
function whileCanceling(
  state: Extract<OutboundState, { readonly end: LegEnd }>,
  event: OutboundEvent,
): OutboundStep {
  switch (event.type) {
    case 'accepted':
      return enter({ state: 'closing', end: state.end }, { type: 'bye' })
    case 'refused':
      return end(wasCancelled(event.response, state.end) ? RUNG_OUT : state.end)
    case 'unsendable':
    case 'cancel-limit':
    case 'signaling-lost':
      return end(state.end)
    default:
      return stay(state)
  }
}

/**
 * True when the final response means that the CANCEL succeeded. It does so also for a peer that
 * only sent 100.
 */
function wasCancelled({ isFromPeer, status }: FinalResponse, end: LegEnd): boolean {
  return end.cause === 'no-answer' && isFromPeer && status === RUNG_OUT.sipStatus
}

function whileClosing(
  state: Extract<OutboundState, { readonly end: LegEnd }>,
  event: OutboundEvent,
): OutboundStep {
  switch (event.type) {
    case 'dialog-over':
    case 'bye':
    case 'signaling-lost':
      return end(state.end)
    default:
      return stay(state)
  }
}

function end(how: LegEnd): OutboundStep {
  return { state: { state: 'ended', end: how }, effects: [{ type: 'finish' }] }
}
