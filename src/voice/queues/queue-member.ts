import { linkAbort } from '../../platform/async/abort.js'
import { deferred } from '../../platform/async/deferred.js'
import type { QueueEntry, QueueRequest, QueueResult } from '../markup/queue-entry.js'
import type { CallRecord } from '../model/call-record.js'
import type { Leg } from '../telephony/port.js'
import { announcementParams } from './queue-params.js'

/** A call that a document put into a queue. */
export interface QueuedCall {
  readonly call: () => CallRecord
  readonly leg: Leg
}

export interface MemberDeps {
  readonly queueSid: string
  /** Returns monotonic milliseconds. */
  readonly now: () => number
  readonly standing: () => Readonly<Record<string, string>>
  /** Called when the caller is back in its place, where the next dialler may take it. */
  readonly returned: () => Promise<void>
  /** Called when the legs are about to be connected. */
  readonly connecting: (diallerSid: string) => Promise<void>
}

/** A caller's leg that may be connected until the signal aborts. */
export interface ReadyMember {
  readonly leg: Leg
  readonly signal: AbortSignal
}

export interface ReservationFor {
  readonly diallerSid: string
  readonly announcement: QueueRequest | undefined
}

/** How a reservation ended for the caller. `not-connected`: the dialler hung up before the connection. */
type ReservationEnd = 'parted' | 'failed' | 'not-connected'

class TakenError extends Error {
  override readonly name = 'TakenError'
}

const RESULTS = { 'left-queue': 'leave', hangup: 'hangup', error: 'error' } as const

/** A caller in a queue, from waiting over the announcement to the connection, until there is a result. */
export class QueueMember {
  readonly queued: QueuedCall
  readonly entry: QueueEntry
  readonly enqueuedAt: number
  readonly #deps: MemberDeps
  readonly #joinedMs: number
  #reservation: Reservation | undefined
  #turn: { readonly taken: AbortController; connectedMs: number | undefined }

  constructor(queued: QueuedCall, entry: QueueEntry, enqueuedAt: number, deps: MemberDeps) {
    this.queued = queued
    this.entry = entry
    this.enqueuedAt = enqueuedAt
    this.#deps = deps
    this.#joinedMs = deps.now()
    this.#turn = newTurn()
  }

  get callSid(): string {
    return this.queued.call().sid
  }

  get waitedMs(): number {
    return (this.#turn.connectedMs ?? this.#deps.now()) - this.#joinedMs
  }

  get phase(): 'waiting' | 'reserved' | 'connected' {
    if (this.#reservation === undefined) return 'waiting'
    return this.#turn.connectedMs === undefined ? 'reserved' : 'connected'
  }

  reserve(reservation: Reservation): void {
    this.#reservation = reservation
    this.#turn.taken.abort(new TakenError('a dialler takes the caller'))
  }

  /** Reports that the caller has left: the dialler that reserved it takes another one. */
  gone(): void {
    this.#reservation?.memberGone()
  }

  /**
   * Resolves with the result of the stay. Rejects with the signal's reason, or with the error of the leg or
   * the markup.
   */
  async stay(signal: AbortSignal): Promise<QueueResult> {
    for (;;) {
      using until = linkAbort([signal, this.#turn.taken.signal])
      const end = await this.entry.wait(this.#deps.standing, until.signal)
      signal.throwIfAborted()
      if (end !== 'over') return RESULTS[end]
      if (this.#reservation === undefined) continue
      const how = await this.#serve(this.#reservation, signal)
      if (how === 'parted') return 'bridged'
      if (how === 'failed') return 'system-error'
      this.#reservation = undefined
      this.#turn = newTurn()
      await this.#deps.returned()
    }
  }

  async #serve(reservation: Reservation, signal: AbortSignal) {
    await this.#announce(reservation, signal)
    if (reservation.withdrawn.aborted) return 'not-connected'
    await this.#deps.connecting(reservation.by.diallerSid)
    signal.throwIfAborted()
    this.#turn.connectedMs = this.#deps.now()
    reservation.offer({ leg: this.queued.leg, signal })
    return reservation.over
  }

  async #announce({ by, withdrawn }: Reservation, signal: AbortSignal): Promise<void> {
    const { announcement, diallerSid } = by
    if (announcement === undefined) return
    const { queueSid } = this.#deps
    const params = announcementParams({ queueSid, waitedMs: this.waitedMs }, diallerSid)
    using until = linkAbort([signal, withdrawn])
    try {
      await this.entry.announce(announcement, params, until.signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!withdrawn.aborted || this.queued.leg.state === 'ended') throw error
    }
  }
}

class WithdrawnError extends Error {
  override readonly name = 'WithdrawnError'
}

/** A reservation of one caller for one dialler: each side reports its steps and awaits the other's. */
export class Reservation {
  readonly callSid: string
  readonly by: ReservationFor
  readonly #withdrawn = new AbortController()
  readonly #ready = deferred<ReadyMember | undefined>()
  readonly #over = deferred<ReservationEnd>()

  constructor(callSid: string, by: ReservationFor) {
    this.callSid = callSid
    this.by = by
  }

  /** For the dialler: resolves with the caller's leg; undefined when the caller has left. */
  get ready(): Promise<ReadyMember | undefined> {
    return this.#ready.done
  }

  /** For the caller: resolves with the end of the reservation. */
  get over(): Promise<ReservationEnd> {
    return this.#over.done
  }

  /** Aborts when the dialler has hung up. */
  get withdrawn(): AbortSignal {
    return this.#withdrawn.signal
  }

  offer(member: ReadyMember): void {
    this.#ready.resolve(member)
  }

  memberGone(): void {
    this.#ready.resolve(undefined)
  }

  withdraw(): void {
    this.#withdrawn.abort(new WithdrawnError('the dialler has gone'))
    this.#over.resolve('not-connected')
  }

  finish(how: ReservationEnd): void {
    this.#over.resolve(how)
  }
}

function newTurn() {
  return { taken: new AbortController(), connectedMs: undefined }
}
