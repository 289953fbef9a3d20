/**
 * The states of a UAC leg, which we dial. Pure: timers and messages are effects, and come back as events.
 *
 *   preparing ─ media-ready ─▶ inviting ─ provisional ─▶ ringing ─ accepted ─▶ joining ─▶ answered
 *       │                        └───────────┬─────────────┘                    └────┬─────┘
 *       │                              canceling ─ accepted ─▶ closing ◀─ hangup, media-lost
 *       └──────────────────────────────── final ────▶ ended ◀──┘ dialog-over
 */
import { assertNever } from '../../../platform/errors.js'
import { enter, type Step, stay } from '../../../platform/step.js'
import type { Leg, LegEnd } from '../port.js'
import { close, endDialogBy, finish, whileClosing } from './dialog-machine.js'
import {
  CANCELED,
  endOfRefusal,
  type FinalResponse,
  mediaLost,
  NO_ANSWER,
  NO_PROGRESS,
  RUNG_OUT,
  signalingLost,
  UNSENDABLE,
} from './leg-end.js'

export type UacState =
  | { readonly state: 'preparing' | 'inviting' | 'ringing' | 'joining' | 'answered' }
  /** The leg ends as `end`, whatever event follows. `canceling`: the CANCEL has been sent. */
  | { readonly state: 'canceling' | 'closing' | 'ended'; readonly end: LegEnd }

/** The port's state for each state of the machine. */
export const UAC_LEG_STATES: Readonly<Record<UacState['state'], Leg['state']>> = {
  preparing: 'setup',
  inviting: 'setup',
  ringing: 'ringing',
  joining: 'ringing',
  answered: 'answered',
  canceling: 'ended',
  closing: 'ended',
  ended: 'ended',
}

export type UacEvent =
  | { readonly type: 'media-ready' | 'media-joined' | 'unsendable' | 'accepted' | 'provisional' }
  | { readonly type: 'media-failed'; readonly reason: string }
  | { readonly type: 'barred'; readonly end: LegEnd }
  | { readonly type: 'refused'; readonly response: FinalResponse }
  | { readonly type: 'hangup' | 'ring-limit' | 'cancel-limit' | 'bye' | 'dialog-over' }
  | { readonly type: 'progress-limit' }
  | { readonly type: 'media-lost' | 'signaling-lost' }

/**
 * An effect of the machine. `finish` releases all resources and then reports the end, once. `abandon` cancels
 * an INVITE whose outcome no longer matters.
 */
export interface UacEffect {
  readonly type:
    | 'invite'
    | 'cancel'
    | 'abandon'
    | 'join-media'
    | 'bye'
    | 'report-answered'
    | 'finish'
}

export type UacStep = Step<UacState, UacEffect>

export function stepUac(state: UacState, event: UacEvent): UacStep {
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

function whilePreparing(state: UacState, event: UacEvent): UacStep {
  switch (event.type) {
    case 'media-ready':
      return enter({ state: 'inviting' }, { type: 'invite' })
    case 'media-failed':
      return finish(mediaLost(false, event.reason))
    case 'barred':
      return finish(event.end)
    case 'media-lost':
      return finish(mediaLost(false))
    case 'signaling-lost':
      return finish(signalingLost(false))
    case 'hangup':
      return finish(CANCELED)
    default:
      return stay(state)
  }
}

function whileUnanswered(state: UacState, event: UacEvent): UacStep {
  switch (event.type) {
    case 'provisional':
      return enter({ state: 'ringing' })
    case 'accepted':
      return enter({ state: 'joining' }, { type: 'join-media' })
    case 'refused':
      return finish(endOfRefusal(event.response))
    case 'unsendable':
      return finish(UNSENDABLE)
    case 'hangup':
      return enter({ state: 'canceling', end: CANCELED }, { type: 'cancel' })
    case 'ring-limit':
      return enter(
        { state: 'canceling', end: state.state === 'ringing' ? RUNG_OUT : NO_ANSWER },
        { type: 'cancel' },
      )
    case 'progress-limit':
      return state.state === 'inviting'
        ? enter({ state: 'ended', end: NO_PROGRESS }, { type: 'abandon' }, { type: 'finish' })
        : stay(state)
    case 'media-lost':
      return enter({ state: 'canceling', end: mediaLost(false) }, { type: 'cancel' })
    case 'signaling-lost':
      return finish(signalingLost(false))
    default:
      return stay(state)
  }
}

function whileUp(state: UacState, event: UacEvent): UacStep {
  switch (event.type) {
    case 'media-joined':
      return state.state === 'joining'
        ? enter({ state: 'answered' }, { type: 'report-answered' })
        : stay(state)
    case 'media-failed':
      return close(mediaLost(true, event.reason))
    case 'hangup':
    case 'media-lost':
    case 'bye':
    case 'signaling-lost':
      return endDialogBy(event.type)
    default:
      return stay(state)
  }
}

/**
 * Handles events after our CANCEL. A 200 may cross it: the dialog then exists, and only a BYE ends it (RFC
 * 3261 §9.1, §15).
 */
function whileCanceling(
  state: Extract<UacState, { readonly end: LegEnd }>,
  event: UacEvent,
): UacStep {
  switch (event.type) {
    case 'accepted':
      return close(state.end)
    case 'refused':
      return finish(wasCancelled(event.response, state.end) ? RUNG_OUT : state.end)
    case 'unsendable':
    case 'cancel-limit':
    case 'signaling-lost':
      return finish(state.end)
    default:
      return stay(state)
  }
}

/** True when the final response means that the CANCEL succeeded, even if the peer only sent 100 before. */
function wasCancelled({ isFromPeer, status }: FinalResponse, end: LegEnd): boolean {
  return end.cause === 'no-answer' && isFromPeer && status === RUNG_OUT.sipStatus
}
