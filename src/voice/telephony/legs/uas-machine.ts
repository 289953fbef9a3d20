/**
 * The states of a UAS leg, which was dialled to us. Pure: messages are effects, and come back as events.
 *
 *   offered ─ ring ─▶ ringing ─ answer ─▶ answering ─ send ─▶ sending ─ sent ─▶ unacknowledged
 *      └────────┬────────┴───────────────────┘                   │ hangup          │ hangup    │ ack
 *        hangup, cancel                                       withdrawing ◀────────┘        answered
 *               │                                                │ ack                         │
 *               └────────────▶ ended ◀─ dialog-over ─ closing ◀──┴─────── hangup, media-lost ──┘
 */
import { assertNever } from '../../../platform/errors.js'
import { enter, type Step, stay } from '../../../platform/step.js'
import type { Leg, LegEnd } from '../port.js'
import { close, endDialogBy, finish, whileClosing } from './dialog-machine.js'
import {
  CANCELED,
  LOCAL_HANGUP,
  mediaLost,
  NO_ACK,
  REMOTE_HANGUP,
  signalingLost,
} from './leg-end.js'

export type UasState =
  | { readonly state: 'offered' | 'ringing' | 'answering' }
  /**
   * `sending`: drachtio has the 200 and may still refuse it. `unacknowledged`: the 200 was sent, and no ACK
   * has come yet.
   */
  | { readonly state: 'sending' | 'unacknowledged' }
  | { readonly state: 'answered' }
  /** The leg ends as `end`, whatever event follows. `withdrawing` waits for the ACK. */
  | { readonly state: 'withdrawing' | 'closing' | 'ended'; readonly end: LegEnd }

/** The port's state for each state of the machine. */
export const UAS_LEG_STATES: Readonly<Record<UasState['state'], Leg['state']>> = {
  offered: 'setup',
  ringing: 'ringing',
  answering: 'ringing',
  sending: 'ringing',
  unacknowledged: 'ringing',
  answered: 'answered',
  withdrawing: 'ended',
  closing: 'ended',
  ended: 'ended',
}

export type UasEvent =
  | { readonly type: 'ring' | 'answer' | 'send' | 'sent' | 'unsendable' | 'ack' | 'ack-limit' }
  | { readonly type: 'cancel' | 'bye' | 'dialog-over' | 'media-lost' | 'signaling-lost' }
  /** A hangup. With a status, the application chose how to refuse; without one, the leg just ends. */
  | { readonly type: 'hangup'; readonly status?: number; readonly reason?: string }
  /** The media server did not accept the offer, or the answer in the ACK. */
  | { readonly type: 'failed'; readonly status: number; readonly reason: string }

export type UasEffect =
  | { readonly type: 'bye' | 'report-answered' | 'finish' }
  | { readonly type: 'refuse'; readonly status: number; readonly reason: string | undefined }

export type UasStep = Step<UasState, UasEffect>

/** RFC 3261 §21.6.2: the callee refuses the call. */
const DECLINE = 603

export function stepUas(state: UasState, event: UasEvent): UasStep {
  switch (state.state) {
    case 'offered':
    case 'ringing':
    case 'answering':
      return whileUnanswered(state, event)
    case 'sending':
    case 'unacknowledged':
      return whileUnacknowledged(state, event)
    case 'answered':
      return whileAnswered(state, event)
    case 'withdrawing':
      return whileWithdrawing(state, event)
    case 'closing':
      return whileClosing(state, event)
    case 'ended':
      return stay(state)
    default:
      return assertNever(state)
  }
}

function whileUnanswered(state: UasState, event: UasEvent): UasStep {
  switch (event.type) {
    case 'ring':
      return state.state === 'offered' ? enter({ state: 'ringing' }) : stay(state)
    case 'answer':
      return enter({ state: 'answering' })
    case 'send':
      return enter({ state: 'sending' })
    case 'hangup':
      return refuse(endOfHangup(event), event.status ?? DECLINE, event.reason)
    case 'failed':
      return refuse(
        { cause: 'rejected', sipStatus: event.status, reason: event.reason },
        event.status,
      )
    case 'media-lost':
      return refuse(mediaLost(false), 503)
    case 'cancel':
      return finish(CANCELED)
    case 'signaling-lost':
      return finish(signalingLost(false))
    default:
      return stay(state)
  }
}

function whileUnacknowledged(state: UasState, event: UasEvent): UasStep {
  switch (event.type) {
    case 'sent':
      return enter({ state: 'unacknowledged' })
    case 'ack':
      return enter({ state: 'answered' }, { type: 'report-answered' })
    case 'ack-limit':
      return close(NO_ACK)
    case 'unsendable':
    case 'cancel':
      return finish(CANCELED)
    case 'bye':
      return finish(REMOTE_HANGUP)
    case 'hangup':
      return enter({ state: 'withdrawing', end: LOCAL_HANGUP })
    case 'failed':
      return enter({ state: 'withdrawing', end: mediaLost(true, event.reason) })
    case 'media-lost':
      return enter({ state: 'withdrawing', end: mediaLost(true) })
    case 'signaling-lost':
      return finish(signalingLost(true))
    default:
      return stay(state)
  }
}

function whileAnswered(state: UasState, event: UasEvent): UasStep {
  switch (event.type) {
    case 'failed':
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
 * Handles events while a BYE waits: the called side sends none until the ACK came or can no longer come (RFC
 * 3261 §15).
 */
function whileWithdrawing(
  state: Extract<UasState, { readonly end: LegEnd }>,
  event: UasEvent,
): UasStep {
  switch (event.type) {
    case 'ack':
    case 'ack-limit':
      return close(state.end)
    case 'unsendable': // The caller's CANCEL came first: the 200 was never sent.
    case 'cancel':
      return finish(CANCELED)
    case 'bye':
    case 'signaling-lost':
      return finish(state.end)
    default:
      return stay(state)
  }
}

function endOfHangup(event: Extract<UasEvent, { readonly type: 'hangup' }>): LegEnd {
  if (event.status === undefined) return { ...CANCELED, sipStatus: DECLINE }
  return {
    cause: 'rejected',
    sipStatus: event.status,
    reason: event.reason,
  }
}

function refuse(how: LegEnd, status: number, reason?: string): UasStep {
  return {
    state: { state: 'ended', end: how },
    effects: [{ type: 'refuse', status, reason }, { type: 'finish' }],
  }
}
