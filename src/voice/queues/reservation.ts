import { deferred } from '../../platform/async/deferred.js'
import type { QueueRequest } from '../markup/queue-entry.js'
import type { Leg } from '../telephony/port.js'

/** A caller's leg that may be connected until the signal aborts. */
export interface ReadyMember {
  readonly leg: Leg
  readonly signal: AbortSignal
}

export interface ReservationFor {
  readonly diallerSid: string
  readonly announcement: QueueRequest | undefined
}

/**
 * The end of a reservation for the caller. `not-connected`: the dialler hung up before the
 * connection.
 */
export type ReservationEnd = 'parted' | 'failed' | 'not-connected'

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

  /** Resolves for the dialler with the caller's leg; undefined when the caller has left. */
  get ready(): Promise<ReadyMember | undefined> {
    return this.#ready.done
  }

  /** Resolves for the caller with the end of the reservation. */
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
