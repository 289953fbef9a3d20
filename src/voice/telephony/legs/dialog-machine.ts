/** The rules of a leg whose dialog is confirmed (RFC 3261 §12), equal for UAC and UAS legs. Pure. */
import { assertNever } from '../../../platform/errors.js'
import { enter, type Step, stay } from '../../../platform/step.js'
import type { LegEnd } from '../port.js'
import { LOCAL_HANGUP, mediaLost, REMOTE_HANGUP, signalingLost } from './leg-end.js'

interface Closing {
  readonly state: 'closing'
  readonly end: LegEnd
}
interface Ended {
  readonly state: 'ended'
  readonly end: LegEnd
}
interface LastEffect {
  readonly type: 'bye' | 'finish'
}

/** The types of the events that end a confirmed dialog. */
type DialogEventType = 'hangup' | 'media-lost' | 'bye' | 'signaling-lost'

/** Ends a confirmed dialog, with our BYE while the peer can still be reached. */
export function endDialogBy(type: DialogEventType): Step<Closing | Ended, LastEffect> {
  switch (type) {
    case 'hangup':
      return close(LOCAL_HANGUP)
    case 'media-lost':
      return close(mediaLost(true))
    case 'bye':
      return finish(REMOTE_HANGUP)
    case 'signaling-lost':
      return finish(signalingLost(true))
    default:
      return assertNever(type)
  }
}

/** Handles events while waiting for the answer to our BYE; a crossing BYE also ends the dialog. */
export function whileClosing<State extends { readonly end: LegEnd }>(
  state: State,
  event: { readonly type: string },
): Step<State | Ended, LastEffect> {
  switch (event.type) {
    case 'dialog-over':
    case 'bye':
    case 'signaling-lost':
      return finish(state.end)
    default:
      return stay(state)
  }
}

/** Sends a BYE; the leg ends with `end` once it was answered. */
export function close(end: LegEnd): Step<Closing, LastEffect> {
  return enter({ state: 'closing', end }, { type: 'bye' })
}

/** Ends the leg: releases all resources, then reports the end. */
export function finish(end: LegEnd): Step<Ended, LastEffect> {
  return enter({ state: 'ended', end }, { type: 'finish' })
}
