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

/** How a reservation ended for the caller; `not-connected`: the dialler has gone before. */
export type ReservationEnd = 'parted' | 'failed' | 'not-connected'

class WithdrawnError extends Error {
  override readonly name = 'WithdrawnError'
}

/** Between one caller and the one dialler who has it: each side says what it does, and hears the other. */
export class Reservation {
  readonly callSid: string
  readonly by: ReservationFor
  /** The dialler's: undefined when the caller has gone. */
  readonly ready: Promise<ReadyMember | undefined>
  /** The caller's. */
  readonly over: Promise<ReservationEnd>
  readonly #withdrawn = new AbortController()
  #offer: (member: ReadyMember | undefined) => void = () => undefined
  #end: (how: ReservationEnd) => void = () => undefined

  constructor(callSid: string, by: ReservationFor) {
    this.callSid = callSid
    this.by = by
    this.ready = new Promise((resolve) => {
      this.#offer = resolve
    })
    this.over = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  /** Aborts when the dialler has gone. */
  get withdrawn(): AbortSignal {
    return this.#withdrawn.signal
  }

  offer(member: ReadyMember): void {
    this.#offer(member)
  }

  memberGone(): void {
    this.#offer(undefined)
  }

  withdraw(): void {
    this.#withdrawn.abort(new WithdrawnError('the dialler has gone'))
    this.#end('not-connected')
  }

  finish(how: ReservationEnd): void {
    this.#end(how)
  }
}
