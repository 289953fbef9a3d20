/**
 * The life of one call, either direction.
 *
 *   queued ──dial-started──▶ dialing ──progress──▶ ringing ──answered──▶ in-progress
 *      │                        │                     │                      │
 *      │                  hangup-requested      hangup-requested       hangup-requested
 *      │                        └────▶ canceling ◀────┘                      ▼
 *   hangup-requested                       │                            hanging-up
 *      ▼                                 ended                             ended
 *   canceled ◀─────────────────────────────┴──▶ completed | busy | no-answer | failed | canceled
 *
 * An inbound call starts in `offered`, with its document running; after the answer it continues as above,
 * and a document that declines it goes through `declining`.
 *
 * Pure: time arrives in the event, work leaves as effects. An event that means nothing in the
 * current state is absorbed, never thrown: SIP repeats itself.
 */
import { assertNever } from '../../../platform/errors.js'
import { enter, type Step, stay } from '../../../platform/step.js'
import type { CallStatus, EndedStatus, StatusEvent } from '../../model/call-record.js'
import { statusOfTakenBack, statusOfUnanswered } from '../../model/outcome.js'
import type { LegEnd } from '../../telephony/port.js'

export type Declined = Exclude<EndedStatus, 'completed' | 'canceled'>

export type Call =
  | { readonly state: 'queued' }
  | { readonly state: 'dialing' }
  | { readonly state: 'ringing' }
  | { readonly state: 'offered' }
  | { readonly state: 'canceling' }
  | { readonly state: 'declining'; readonly as: Declined }
  | { readonly state: 'in-progress'; readonly answeredAtMs: number }
  | { readonly state: 'hanging-up'; readonly answeredAtMs: number }
  | EndedCall

export interface EndedCall {
  readonly state: 'ended'
  readonly status: EndedStatus
  readonly talkedMs: number
  readonly sipStatus: number
  readonly reason: string | undefined
}

/** A final response that refuses an inbound call. */
export interface FinalAnswer {
  readonly status: number
  readonly reason: string
}

/** An event of a call; `atMs` is monotonic time. */
export type CallEvent =
  | { readonly type: 'dial-started'; readonly queuedMs: number }
  | { readonly type: 'progress' }
  | { readonly type: 'answered'; readonly atMs: number }
  | { readonly type: 'hangup-requested' }
  /** `answer` is the final response; when absent, `as` determines it. */
  | { readonly type: 'declined'; readonly as: Declined; readonly answer?: FinalAnswer }
  | { readonly type: 'ended'; readonly atMs: number; readonly end: LegEnd }

export type CallEffect =
  | { readonly type: 'dial' }
  | { readonly type: 'notify'; readonly event: StatusEvent }
  | { readonly type: 'start-document' }
  | { readonly type: 'stop-document' }
  | { readonly type: 'hangup-leg'; readonly status?: number; readonly reason?: string }
  | { readonly type: 'finish' }

export type CallStep = Step<Call, CallEffect>

export function step(call: Call, event: CallEvent): CallStep {
  switch (event.type) {
    case 'dial-started':
      return call.state === 'queued'
        ? enter({ state: 'dialing' }, { type: 'notify', event: 'initiated' }, { type: 'dial' })
        : stay(call)
    case 'progress':
      return call.state === 'dialing'
        ? enter({ state: 'ringing' }, { type: 'notify', event: 'ringing' })
        : stay(call)
    case 'answered':
      return onAnswered(call, event.atMs)
    case 'hangup-requested':
      return onHangupRequested(call)
    case 'declined':
      return onDeclined(call, event.as, event.answer)
    case 'ended':
      return onEnded(call, event.atMs, event.end)
    default:
      return assertNever(event)
  }
}

/**
 * Handles the answer. A 200 may cross a CANCEL: the leg then ends itself with ACK and BYE (RFC 3261 §9.1).
 */
function onAnswered(call: Call, atMs: number): CallStep {
  const talking: Call = { state: 'in-progress', answeredAtMs: atMs }
  const notify: CallEffect = { type: 'notify', event: 'answered' }
  if (call.state === 'offered') return enter(talking, notify)
  if (call.state !== 'dialing' && call.state !== 'ringing') return stay(call)
  return enter(talking, notify, { type: 'start-document' })
}

function onHangupRequested(call: Call): CallStep {
  switch (call.state) {
    case 'queued':
      // No callback announced the call, so none reports its end.
      return enter(
        { state: 'ended', status: 'canceled', talkedMs: 0, sipStatus: 487, reason: undefined },
        { type: 'finish' },
      )
    case 'dialing':
    case 'ringing':
    case 'offered':
      return enter({ state: 'canceling' }, { type: 'stop-document' }, { type: 'hangup-leg' })
    case 'in-progress':
      return enter(
        { state: 'hanging-up', answeredAtMs: call.answeredAtMs },
        { type: 'stop-document' },
        { type: 'hangup-leg' },
      )
    default:
      return stay(call)
  }
}

function onDeclined(call: Call, as: Declined, answer?: FinalAnswer): CallStep {
  if (call.state !== 'offered') return onHangupRequested(call)
  return enter({ state: 'declining', as }, { type: 'hangup-leg', ...(answer ?? answerOf(as)) })
}

/** Carriers retry over another route after 603 Decline but not after 486 Busy Here. */
function answerOf(as: Declined): FinalAnswer {
  return as === 'busy' ? { status: 486, reason: 'Busy Here' } : { status: 603, reason: 'Decline' }
}

function onEnded(call: Call, atMs: number, end: LegEnd): CallStep {
  const { sipStatus, reason } = end
  switch (call.state) {
    case 'ended':
      return stay(call)
    case 'in-progress':
    case 'hanging-up':
      return finish({ status: 'completed', talkedMs: atMs - call.answeredAtMs, sipStatus, reason })
    case 'canceling':
      return finish({ status: statusOfTakenBack(end), talkedMs: 0, sipStatus, reason })
    case 'declining':
      return finish({ status: call.as, talkedMs: 0, sipStatus, reason })
    default:
      return finish({ status: statusOfUnanswered(end), talkedMs: 0, sipStatus, reason })
  }
}

function finish(end: Omit<EndedCall, 'state'>): CallStep {
  return enter(
    { state: 'ended', ...end },
    { type: 'stop-document' },
    { type: 'notify', event: 'completed' },
    { type: 'finish' },
  )
}

/** True when the end of a call is in progress or complete. */
export function isEnding({ state }: Call): boolean {
  return (
    state === 'declining' || state === 'canceling' || state === 'hanging-up' || state === 'ended'
  )
}

/** Returns the API's status of a state. */
export function statusOf(call: Call): CallStatus {
  switch (call.state) {
    case 'queued':
    case 'dialing':
      return 'queued'
    case 'ringing':
    case 'offered':
    case 'canceling':
    case 'declining':
      return 'ringing'
    case 'in-progress':
    case 'hanging-up':
      return 'in-progress'
    case 'ended':
      return call.status
  }
}
