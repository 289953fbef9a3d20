/**
 * A call from one leg of this process to another: what its two sides tell each other. It stands in the
 * place of a SIP dialog, so nothing is sent for it; the channels of the legs send each other their audio.
 */

import { AdapterError } from '../../../platform/errors.js'
import type { LegMedia } from '../leg-media.js'
import { type Leg, LegEndedError, type ReferralOutcome, type ResponseHeaders } from '../port.js'
import type { CheckedDial } from '../signaling/dial-headers.js'

/** An answer to the call's offer; a final one of 300 or more has no SDP. */
export interface InsideResponse {
  readonly status: number
  readonly reason: string
  readonly sdp?: string | undefined
  readonly headers?: ResponseHeaders | undefined
}

/** What the leg that calls learns of the other side. */
export interface CallingSide {
  onProvisional(response: InsideResponse): void
  onAccepted(sdp: string): void
  onRefused(response: InsideResponse): void
  onBye(): void
}

/** What the leg that is called learns of the other side. */
export interface CalledSide {
  onCancel(): void
  onBye(): void
}

/** What the leg that calls offers. */
export interface InsideOffer {
  readonly dial: CheckedDial
  readonly sdp: string
  /** The audio of the leg that calls: the other leg's is placed beside it. */
  readonly media: LegMedia
}

const TERMINATED = { status: 487, reason: 'Request Terminated' } as const

/** RFC 3515 §2.4.2: a REFER that nobody takes is declined. */
const DECLINE = 603

export class InsideCall {
  readonly offer: InsideOffer
  readonly #calling: CallingSide
  #called: CalledSide | undefined
  #state: 'offered' | 'canceled' | 'refused' | 'answered' | 'over' = 'offered'

  constructor(offer: InsideOffer, calling: CallingSide) {
    this.offer = offer
    this.#calling = calling
  }

  /** True once a leg has taken the call. */
  get isTaken(): boolean {
    return this.#called !== undefined
  }

  /** Makes the leg the called side. A call that was canceled before is canceled by the next microtask. */
  take(called: CalledSide): void {
    this.#called = called
    if (this.#state === 'canceled')
      queueMicrotask(() => {
        called.onCancel()
      })
  }

  ring(response: InsideResponse): void {
    if (this.#state === 'offered') this.#calling.onProvisional(response)
  }

  accept(sdp: string): void {
    if (this.#state !== 'offered') return
    this.#state = 'answered'
    this.#calling.onAccepted(sdp)
  }

  refuse(response: InsideResponse): void {
    if (this.#state !== 'offered') return
    this.#state = 'refused'
    this.#calling.onRefused(response)
  }

  cancel(): void {
    if (this.#state !== 'offered') return
    this.#state = 'canceled'
    this.#called?.onCancel()
    this.#calling.onRefused(TERMINATED)
  }

  /** Ends an answered call for the other side. */
  hangUp(by: 'calling' | 'called'): void {
    if (this.#state !== 'answered') return
    this.#state = 'over'
    if (by === 'calling') this.#called?.onBye()
    else this.#calling.onBye()
  }
}

/** Declines a REFER in a call inside: the other side is this server, which follows none of its own. */
export function declineReferral(state: Leg['state']): Promise<ReferralOutcome> {
  if (state === 'ended') return Promise.reject(new LegEndedError('the leg is over'))
  if (state !== 'answered')
    return Promise.reject(new AdapterError('only an answered leg can be referred'))
  return Promise.resolve({ how: 'refused', sipStatus: DECLINE, notifiedStatus: undefined })
}
