/** Operations of customers and the operator on ports. Each change is one transaction. */
import { NumberTakenError } from '../numbers/number-errors.js'
import type { Clock } from '../platform/clock.js'
import type { Database, Reader, Writer } from '../platform/database/database.js'
import type { Page, PageRequest } from '../platform/database/newest-first.js'
import type { ChannelOutbox } from '../platform/outbox/outbox.js'
import type { Upload } from '../platform/uploads/read-upload.js'
import { type ActivationDeps, activateNumbers } from './activate-numbers.js'
import { type AskedChange, changePort, type PortChangeDeps } from './change-port.js'
import { correctPort, isEmptyCorrection, type PortCorrection } from './correct-port.js'
import { FINAL_STATES, type NewPort, type Port } from './port.js'
import { isTooLateToCancel } from './port-dates.js'
import { PortNotFoundError, PortStateError } from './port-errors.js'
import type { AddedLetter, PortLetters } from './port-letters.js'
import type { PortEvent } from './port-machine.js'
import type { PortingMail } from './port-mails.js'
import { historyOf, type PortActor, type PortChange } from './storage/port-history.js'
import { lettersOf, type PortLetter } from './storage/port-letters.js'
import { findPort, findPortBySid, listPorts, type PortFilter } from './storage/port-storage.js'
import { type Submission, type SubmitDeps, submitPorts } from './submit-port.js'

/** A port with its history and letters. */
export interface PortDetail {
  readonly port: Port
  readonly history: readonly PortChange[]
  readonly letters: readonly PortLetter[]
}

/** Identifies a port: one of an account, or any port for the operator. */
export interface PortName {
  readonly pid: string
  /** Only ports of this account match; undefined for the operator. */
  readonly accountSid?: string | undefined
}

/** Methods with a PortName reject with PortNotFoundError; changes also reject with PortStateError. */
export interface Ports {
  /** See `submitPorts`. */
  submit(accountSid: string, orders: readonly NewPort[], isDirect: boolean): Promise<Submission>
  list(filter: PortFilter, page: PageRequest): Promise<Page<Port>>
  find(name: PortName): Promise<Port>
  detail(name: PortName): Promise<PortDetail>
  /**
   * Corrects the data of a port in a state that waits for its customer; the operator may correct any open
   * port.
   */
  correct(name: PortName, correction: PortCorrection): Promise<Port>
  /** Resubmits a rejected port with corrections, without a second fee. */
  resubmit(name: PortName, correction: PortCorrection): Promise<Port>
  cancel(name: PortName): Promise<Port>
  addLetter(name: PortName, file: Upload): Promise<AddedLetter>
  /** Resolves with a letter; undefined when the port has no letter with that id. */
  readLetter(name: PortName, uuid: string): ReturnType<PortLetters['read']>
  /** Applies an event of the operator or the losing carrier to a port. */
  move(
    name: { readonly pid: string } | { readonly sid: string },
    event: PortEvent,
    actor: PortActor,
  ): Promise<Port>
}

export interface PortsDeps extends Omit<SubmitDeps, 'mails'>, ActivationDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly mails: Pick<ChannelOutbox<PortingMail>, 'enqueue' | 'wake'>
  readonly letters: PortLetters
  /** Called after each committed change, since a request to the carrier may be due. */
  readonly onChange: () => void
}

const TAKEN =
  'A number of the port is on another account of this system. Ask the operator to move it, then resubmit.'

export function createPorts(deps: PortsDeps): Ports {
  const { db, clock } = deps
  const changing: PortChangeDeps = {
    mails: deps.mails,
    activate: (tx, port, now) => activateNumbers(tx, port, now, deps),
  }
  const told = async <Result>(work: Promise<Result>): Promise<Result> => {
    const result = await work
    db.whenDurable(() => {
      deps.mails.wake()
      deps.onChange()
    })
    return result
  }
  const change = (
    find: (read: Reader) => Promise<Port>,
    steps: (tx: Writer, port: Port, now: number) => Promise<Port>,
  ): Promise<Port> => {
    const now = clock.now()
    return told(db.inOneCommit(async (tx) => steps(tx, await find(tx), now)))
  }
  const step = (port: Port, asked: AskedChange, tx: Writer) => changePort(tx, port, asked, changing)
  return {
    submit: (accountSid, orders, isDirect) =>
      told(submitPorts(accountSid, orders, { isDirect, now: clock.now() }, deps)),
    list: (filter, page) => listPorts(db.read, filter, page),
    find: (name) => ownPort(db.read, name),
    detail: async (name) => {
      const port = await ownPort(db.read, name)
      const history = await historyOf(db.read, port.sid)
      return { port, history, letters: await lettersOf(db.read, port.sid) }
    },
    ...correcting(deps, change, step),
    cancel: (name) =>
      change(
        (read) => ownPort(read, name),
        (tx, port, now) => {
          const isLate = port.foc !== undefined && isTooLateToCancel(port.foc, now)
          const event = { type: 'cancel-requested', isLate } as const
          return step(port, { event, actor: actorOf(name), now }, tx)
        },
      ),
    addLetter: async (name, file) => await told(addLetter(name, file, deps, step)),
    readLetter: async (name, uuid) => await deps.letters.read(await ownPort(db.read, name), uuid),
    move: async (name, event, actor) => {
      const find = (read: Reader) =>
        'pid' in name ? ownPort(read, name) : portBySid(read, name.sid)
      try {
        return await change(find, (tx, port, now) => step(port, { event, actor, now }, tx))
      } catch (error) {
        if (!(error instanceof NumberTakenError)) throw error
        const rejected = { type: 'rejected', reason: TAKEN } as const
        return await change(find, (tx, port, now) =>
          step(port, { event: rejected, actor, now }, tx),
        )
      }
    },
  }
}

/** Stores a letter; the first letter of a submitted port starts its review. */
async function addLetter(
  name: PortName,
  file: Upload,
  { db, clock, letters }: Pick<PortsDeps, 'db' | 'clock' | 'letters'>,
  step: PortStepper,
): Promise<AddedLetter> {
  const port = await ownPort(db.read, name)
  if (FINAL_STATES.includes(port.progress.state))
    throw new PortStateError('The port is over: it takes no letter')
  const now = clock.now()
  return await letters.add(port, file, async (tx) => {
    const current = await ownPort(tx, name)
    // A further letter is stored without changing the port.
    if (current.isSigned || current.progress.state !== 'submitted') return current
    return await step(current, { event: { type: 'signed' }, actor: actorOf(name), now }, tx)
  })
}

type PortStepper = (port: Port, asked: AskedChange, tx: Writer) => Promise<Port>

type ChangeWork = (
  find: (read: Reader) => Promise<Port>,
  steps: (tx: Writer, port: Port, now: number) => Promise<Port>,
) => Promise<Port>

function correcting(
  deps: PortsDeps,
  change: ChangeWork,
  step: PortStepper,
): Pick<Ports, 'correct' | 'resubmit'> {
  const corrected = (name: PortName, correction: PortCorrection) => {
    const actor = actorOf(name)
    const { pin = '' } = correction
    const pinSealed = pin === '' ? undefined : deps.vault.seal(pin)
    return (tx: Writer, port: Port, now: number) =>
      isEmptyCorrection(correction)
        ? Promise.resolve(port)
        : correctPort(tx, port, { correction, pinSealed, actor, now }, deps)
  }
  return {
    correct: (name, correction) =>
      change((read) => ownPort(read, name), corrected(name, correction)),
    resubmit: (name, correction) => {
      const correctFirst = corrected(name, correction)
      return change(
        (read) => ownPort(read, name),
        async (tx, port, now) => {
          const ready = await correctFirst(tx, port, now)
          const event = { type: 'resubmitted', isSigned: ready.isSigned } as const
          return await step(ready, { event, actor: actorOf(name), now }, tx)
        },
      )
    },
  }
}

const actorOf = ({ accountSid }: PortName): PortActor =>
  accountSid === undefined ? 'operator' : 'customer'

async function ownPort(read: Reader, { pid, accountSid }: PortName): Promise<Port> {
  const port = /^[A-Z0-9]{5}$/i.test(pid) ? await findPort(read, pid.toUpperCase()) : undefined
  if (port === undefined || (accountSid !== undefined && port.accountSid !== accountSid))
    throw new PortNotFoundError(`There is no port ${pid.slice(0, 20)}`)
  return port
}

async function portBySid(read: Reader, sid: string): Promise<Port> {
  const port = await findPortBySid(read, sid)
  if (port === undefined) throw new PortNotFoundError(`There is no port ${sid}`)
  return port
}
