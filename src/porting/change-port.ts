/** One change of a port: a step of its state machine, stored with its history and its mail. */
import type { Writer } from '../platform/database/database.js'
import type { ChannelOutbox } from '../platform/outbox/outbox.js'
import { type Port, type Progress, STATUS_OF } from './port.js'
import { PortStateError } from './port-errors.js'
import { isAbsorbed, type PortEffect, type PortEvent, step } from './port-machine.js'
import type { PortingMail } from './port-mails.js'
import { insertChange, type PortActor } from './storage/port-history.js'
import { freeNumbers, updatePort } from './storage/port-storage.js'

export interface PortChangeDeps {
  readonly mails: Pick<ChannelOutbox<PortingMail>, 'enqueue'>
  /** Moves the numbers to the account; resolves with sentences about features that could not be set. */
  readonly activate: (tx: Writer, port: Port, now: number) => Promise<readonly string[]>
}

export interface AskedChange {
  readonly event: PortEvent
  readonly actor: PortActor
  readonly now: number
}

/**
 * Applies an event to a port in the caller's transaction and resolves with the changed port. Rejects with
 * PortStateError when the event is invalid in its state, or another change came first.
 */
export async function changePort(
  tx: Writer,
  port: Port,
  { event, actor, now }: AskedChange,
  deps: PortChangeDeps,
): Promise<Port> {
  const next = step(port.progress, event)
  if (isAbsorbed(port.progress, next)) throw new PortStateError(refusalOf(port, event))
  const has = (type: PortEffect['type']) => next.effects.some((effect) => effect.type === type)
  const notes = has('activate-numbers') ? await deps.activate(tx, port, now) : []
  const { state: progress } = next
  const isSigned = port.isSigned || event.type === 'signed'
  const changed: Port = {
    ...port,
    progress,
    isSigned,
    foc: 'foc' in progress ? progress.foc : undefined,
    changes: port.changes + 1,
    message: [messageOf(progress, port), ...notes].join(' '),
    enteredAt: now,
    updatedAt: now,
  }
  await storeChange(tx, changed, { actor, nextAt: has('ask-carrier') ? now : null })
  if (has('free-numbers')) await freeNumbers(tx, port.sid)
  if (has('mail')) await deps.mails.enqueue(tx, [mailOf(changed)])
  return changed
}

/** Stores a changed port and its history row; rejects when another change came first. */
export async function storeChange(
  tx: Writer,
  port: Port,
  { actor, nextAt }: { readonly actor: PortActor; readonly nextAt: number | null },
): Promise<void> {
  if (!(await updatePort(tx, port, nextAt)))
    throw new PortStateError('Another change of the port came first: read it again')
  await insertChange(tx, port.sid, {
    change: port.changes,
    state: port.progress.state,
    actor,
    message: port.message,
    foc: port.foc,
    at: port.updatedAt,
  })
}

export function mailOf(port: Port): PortingMail {
  return {
    kind: 'port',
    accountSid: port.accountSid,
    portSid: port.sid,
    change: port.changes,
    pid: port.pid,
    ticket: port.ticket,
    state: port.progress.state,
    isSigned: port.isSigned,
    numbers: port.numbers.map(({ e164 }) => e164),
    message: port.message,
  }
}

/** Explanation of a state for the customer. */
export function messageOf(
  progress: Progress,
  { losingCarrier }: Pick<Port, 'losingCarrier'>,
): string {
  switch (progress.state) {
    case 'submitted':
      return progress.isSigned
        ? 'The order and the letter of authorisation are there; the review follows.'
        : 'The order is there. It waits for the signed letter of authorisation.'
    case 'validating':
      return 'The order and the letter of authorisation are being reviewed.'
    case 'pending':
      return `The order is with the losing carrier (${losingCarrier}).`
    case 'foc':
      return `The losing carrier has confirmed the date ${progress.foc}.`
    case 'exception':
      return progress.reason
    case 'complete':
      return 'The numbers are on the account.'
    case 'cancelled':
      return 'The port was cancelled.'
  }
}

function refusalOf({ progress, isSigned }: Port, event: PortEvent): string {
  if (event.type === 'cancel-requested' && progress.state === 'foc')
    return 'The port cannot be cancelled any more: its date is less than 48 hours away'
  if (event.type === 'review-began' && !isSigned)
    return 'The letter of authorisation has not come yet'
  return `The port is ${STATUS_OF[progress.state]}: ${NEEDS[event.type]}`
}

const NEEDS: Readonly<Record<PortEvent['type'], string>> = {
  signed: 'it waits for no letter of authorisation',
  'review-began': 'only a submitted one is reviewed',
  'review-passed': 'only one under review goes to the losing carrier',
  'date-confirmed': 'only one at the losing carrier gets a date',
  rejected: 'it cannot be rejected',
  resubmitted: 'only one with the status Exception is resubmitted',
  'cancel-requested': 'it cannot be cancelled',
  activated: 'only one with a date is completed',
}
