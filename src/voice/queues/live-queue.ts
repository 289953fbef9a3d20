import { reasonOf } from '../../platform/async/abort.js'
import { InvariantError } from '../../platform/errors.js'
import {
  EMPTY_LINE,
  type Line,
  type LineEvent,
  stateOf,
  stepLine,
  waitingIn,
} from './queue-line.js'
import type { QueueMember } from './queue-member.js'
import { Reservation, type ReservationFor } from './queue-member.js'
import { average } from './queue-params.js'
import type { QueueRecord } from './tables.js'

interface Dialler {
  readonly by: ReservationFor
  readonly take: (taken: Reservation | 'timeout' | 'closed') => void
}

/** A queue with callers or diallers. The line's machine takes every decision synchronously. */
export class LiveQueue {
  readonly #onIdle: () => void
  readonly #members = new Map<string, QueueMember>()
  readonly #diallers = new Map<number, Dialler>()
  #record: QueueRecord
  #line: Line = EMPTY_LINE
  #lastDialler = 0

  constructor(record: QueueRecord, onIdle: () => void) {
    this.#record = record
    this.#onIdle = onIdle
  }

  get record(): QueueRecord {
    return this.#record
  }

  /** Sets the changed record as it is stored. */
  changed(record: QueueRecord): void {
    this.#record = record
  }

  get memberCount(): number {
    return this.#members.size
  }

  /** The callers that the API shows, in order. */
  get waiting(): readonly QueueMember[] {
    return waitingIn(this.#line).flatMap((sid) => this.#members.get(sid) ?? [])
  }

  get averageMs(): number {
    return average(this.waiting.map(({ waitedMs }) => waitedMs))
  }

  join(member: QueueMember): void {
    this.#members.set(member.callSid, member)
    this.#step({ type: 'joined', callSid: member.callSid })
  }

  waits(callSid: string): void {
    if (this.#members.has(callSid)) this.#step({ type: 'waits', callSid })
  }

  /** Reserves a caller for the API, so that no dialler gets it; false when it does not wait here. */
  call(callSid: string): boolean {
    if (stateOf(this.#line, callSid) !== 'waiting') return false
    this.#step({ type: 'called', callSid })
    return true
  }

  leave(member: QueueMember): void {
    this.#members.delete(member.callSid)
    this.#step({ type: 'left', callSid: member.callSid })
    member.gone()
  }

  /**
   * Resolves with the first caller, or the next one that arrives in time; rejects with the signal's reason.
   */
  next(
    by: ReservationFor,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<Reservation | 'timeout' | 'closed'> {
    return new Promise((resolve, reject) => {
      const dialler = (this.#lastDialler += 1)
      const forget = () => {
        clearTimeout(limit)
        signal.removeEventListener('abort', aborted)
      }
      const withdraw = () => {
        forget()
        this.#diallers.delete(dialler)
        this.#step({ type: 'withdrew', dialler })
      }
      const aborted = () => {
        withdraw()
        reject(reasonOf(signal))
      }
      const limit = setTimeout(() => {
        withdraw()
        resolve('timeout')
      }, limitMs)
      signal.addEventListener('abort', aborted)
      this.#diallers.set(dialler, {
        by,
        take: (taken) => {
          forget()
          resolve(taken)
        },
      })
      if (signal.aborted) aborted()
      else this.#step({ type: 'dialled', dialler })
    })
  }

  /** Ends the waiting of the diallers: the queue was deleted, so it is empty. */
  close(): void {
    for (const [dialler, { take }] of [...this.#diallers]) {
      this.#diallers.delete(dialler)
      this.#step({ type: 'withdrew', dialler })
      take('closed')
    }
  }

  #step(event: LineEvent): void {
    const { state: line, effects: matches } = stepLine(this.#line, event)
    this.#line = line
    for (const { callSid, dialler } of matches) this.#meet(callSid, dialler)
    if (this.#members.size === 0 && this.#diallers.size === 0) this.#onIdle()
  }

  #meet(callSid: string, number: number): void {
    const [member, dialler] = [this.#members.get(callSid), this.#diallers.get(number)]
    if (member === undefined || dialler === undefined)
      throw new InvariantError('the line matched a caller or dialler that is not there')
    this.#diallers.delete(number)
    const reservation = new Reservation(callSid, dialler.by)
    member.reserve(reservation)
    dialler.take(reservation)
  }
}
