/**
 * A call between two legs of this process. It replaces the SIP dialog between them, so no SIP is sent; the
 * channels of the legs send each other their audio.
 */

import { AdapterError } from '../../../platform/errors.js'
import type { LegMedia } from '../leg-media.js'
import { type Leg, LegEndedError, type ReferralOutcome, type ResponseHeaders } from '../port.js'
import type { CheckedDial } from '../signaling/dial-headers.js'

/** A response to the call's offer; a final one of 300 or more has no SDP. */
export interface LoopbackResponse {
  readonly status: number
  readonly reason: string
  readonly sdp?: string | undefined
  readonly headers?: ResponseHeaders | undefined
}

/** The messages that the UAC leg receives. */
export interface LoopbackUac {
  onProvisional(response: LoopbackResponse): void
  onAccepted(sdp: string): void
  onRefused(response: LoopbackResponse): void
  onBye(): void
}

/** The messages that the UAS leg receives. */
export interface LoopbackUas {
  onCancel(): void
  onBye(): void
}

/** The offer of the UAC leg. */
export interface LoopbackOffer {
  readonly dial: CheckedDial
  readonly sdp: string
  /** The audio of the UAC leg; the UAS leg is placed on the same media server. */
  readonly media: LegMedia
}

const TERMINATED = { status: 487, reason: 'Request Terminated' } as const

/** RFC 3515 §2.4.2: a REFER that nobody accepts is declined. */
const DECLINE = 603

export class LoopbackCall {
  readonly offer: LoopbackOffer
  readonly #uac: LoopbackUac
  #uas: LoopbackUas | undefined
  #state: 'offered' | 'canceled' | 'refused' | 'answered' | 'over' = 'offered'

  constructor(offer: LoopbackOffer, uac: LoopbackUac) {
    this.offer = offer
    this.#uac = uac
  }

  /** True once a UAS leg has accepted the call. */
  get isTaken(): boolean {
    return this.#uas !== undefined
  }

  /** Sets the UAS leg. If the call was already canceled, the leg is notified in the next microtask. */
  take(uas: LoopbackUas): void {
    this.#uas = uas
    if (this.#state === 'canceled')
      queueMicrotask(() => {
        uas.onCancel()
      })
  }

  ring(response: LoopbackResponse): void {
    if (this.#state === 'offered') this.#uac.onProvisional(response)
  }

  accept(sdp: string): void {
    if (this.#state !== 'offered') return
    this.#state = 'answered'
    this.#uac.onAccepted(sdp)
  }

  refuse(response: LoopbackResponse): void {
    if (this.#state !== 'offered') return
    this.#state = 'refused'
    this.#uac.onRefused(response)
  }

  cancel(): void {
    if (this.#state !== 'offered') return
    this.#state = 'canceled'
    this.#uas?.onCancel()
    this.#uac.onRefused(TERMINATED)
  }

  /** Ends an answered call and notifies the other side. */
  hangUp(by: 'uac' | 'uas'): void {
    if (this.#state !== 'answered') return
    this.#state = 'over'
    if (by === 'uac') this.#uas?.onBye()
    else this.#uac.onBye()
  }
}

/** Declines a REFER in a loopback call: its peer is this server, which follows no REFER of its own. */
export function declineReferral(state: Leg['state']): Promise<ReferralOutcome> {
  if (state === 'ended') return Promise.reject(new LegEndedError('the leg is over'))
  if (state !== 'answered')
    return Promise.reject(new AdapterError('only an answered leg can be referred'))
  return Promise.resolve({ how: 'refused', sipStatus: DECLINE, notifiedStatus: undefined })
}
