/** State machine of a port. Pure; the diagram is at `Progress`. */
import { assertNever } from '../platform/errors.js'
import { enter, type Step, stay } from '../platform/step.js'
import type { PortState, Progress } from './port.js'

export type PortEvent =
  /** The letter of authorisation was received. */
  | { readonly type: 'signed' }
  | { readonly type: 'review-began' }
  | { readonly type: 'review-passed' }
  /** The losing carrier commits to a date, or changes it. */
  | { readonly type: 'date-confirmed'; readonly foc: string }
  /** The review or the losing carrier rejects the port; the reason says what the customer can do. */
  | { readonly type: 'rejected'; readonly reason: string }
  | { readonly type: 'resubmitted'; readonly isSigned: boolean }
  /** `isLate`: the committed date is too close. */
  | { readonly type: 'cancel-requested'; readonly isLate: boolean }
  /** The numbers were moved. */
  | { readonly type: 'activated' }

export type PortEffect =
  /** Sends a request to the reviewer or the losing carrier, or notifies it of the cancellation. */
  | { readonly type: 'ask-carrier' }
  /** Notifies the customer of the change. */
  | { readonly type: 'mail' }
  /** Moves the numbers to the account. */
  | { readonly type: 'activate-numbers' }
  /** Releases the numbers for other ports. */
  | { readonly type: 'free-numbers' }

export type PortStep = Step<Progress, PortEffect>

const MAIL = { type: 'mail' } as const
const ASK = { type: 'ask-carrier' } as const
const FREE = { type: 'free-numbers' } as const

/** Applies an event. An event that is invalid in the state changes nothing and has no effects. */
export function step(port: Progress, event: PortEvent): PortStep {
  switch (event.type) {
    case 'signed':
      return onSigned(port)
    case 'review-began':
      return onReviewBegan(port)
    case 'review-passed':
      return port.state === 'validating' ? enter({ state: 'pending' }, MAIL, ASK) : stay(port)
    case 'date-confirmed':
      return onDateConfirmed(port, event.foc)
    case 'rejected':
      return onRejected(port, event.reason)
    case 'resubmitted':
      return onResubmitted(port, event.isSigned)
    case 'cancel-requested':
      return onCancelRequested(port, event.isLate)
    case 'activated':
      return onActivated(port)
    default:
      return assertNever(event)
  }
}

/** True when a step changes nothing: the event is invalid in the state. */
export function isAbsorbed(before: Progress, { state, effects }: PortStep): boolean {
  return state === before && effects.length === 0
}

function isOpen(state: PortState): boolean {
  return state !== 'complete' && state !== 'cancelled'
}

function onSigned(port: Progress): PortStep {
  return port.state === 'submitted' && !port.isSigned
    ? enter({ state: 'submitted', isSigned: true }, ASK)
    : stay(port)
}

function onReviewBegan(port: Progress): PortStep {
  return port.state === 'submitted' && port.isSigned
    ? enter({ state: 'validating' }, MAIL, ASK)
    : stay(port)
}

/** A carrier may change its date until the numbers are moved. */
function onDateConfirmed(port: Progress, foc: string): PortStep {
  if (port.state === 'foc' && port.foc === foc) return stay(port)
  return port.state === 'pending' || port.state === 'foc'
    ? enter({ state: 'foc', foc }, MAIL, ASK)
    : stay(port)
}

function onRejected(port: Progress, reason: string): PortStep {
  return isOpen(port.state) && port.state !== 'exception'
    ? enter({ state: 'exception', reason }, MAIL)
    : stay(port)
}

function onResubmitted(port: Progress, isSigned: boolean): PortStep {
  if (port.state !== 'exception') return stay(port)
  const state = { state: 'submitted', isSigned } as const
  return isSigned ? enter(state, MAIL, ASK) : enter(state, MAIL)
}

function onCancelRequested(port: Progress, isLate: boolean): PortStep {
  return isOpen(port.state) && !(port.state === 'foc' && isLate)
    ? enter({ state: 'cancelled' }, MAIL, FREE, ASK)
    : stay(port)
}

function onActivated(port: Progress): PortStep {
  return port.state === 'foc'
    ? enter({ state: 'complete', foc: port.foc }, { type: 'activate-numbers' }, FREE, MAIL)
    : stay(port)
}
