/** The losing carrier, and the review before an order is sent to it. */
import type { PortKind, PortState, Subscriber } from './port.js'

/** Whether a number can be ported away from its carrier. */
export interface Portability {
  readonly isPortable: boolean
  /** Reason that a customer can act on; undefined for a portable number. */
  readonly reason: string | undefined
  readonly losingCarrier: string
  /** Local routing number of the carrier's switch, ten digits. */
  readonly localRoutingNumber: string | undefined
  readonly rateCenterTier: string | undefined
}

/** A port as it is sent to the carrier. */
export interface CarrierOrder {
  /** Identifies the port in every request. */
  readonly reference: string
  readonly kind: PortKind
  readonly state: PortState
  readonly foc: string | undefined
  /** Time at which the port entered its state. */
  readonly enteredAt: number
  readonly numbers: readonly string[]
  readonly accountNumber: string
  readonly pin: string | undefined
  readonly desiredDueDate: string
  /** Increases with every change of the port, so that a corrected order is recognised. */
  readonly version: number
  readonly subscriber: Subscriber
}

/**
 * The answer to an order in its state. `wait` schedules the next request at a time; without one, after the
 * next change of state.
 */
export type CarrierAnswer =
  | { readonly type: 'wait'; readonly until: number | undefined }
  | { readonly type: 'review-began' }
  | { readonly type: 'review-passed' }
  | { readonly type: 'date-confirmed'; readonly foc: string }
  | { readonly type: 'rejected'; readonly reason: string }
  | { readonly type: 'activated' }

/** Answers for losing carriers. Both methods reject with AdapterError while no answer is available. */
export interface LosingCarrier {
  portability(e164: string, signal: AbortSignal): Promise<Portability>
  /**
   * Advances an order, or withdraws a cancelled one. Idempotent: after a crash it may be called again for the
   * same state, and gives the same answer.
   */
  ask(order: CarrierOrder, now: number, signal: AbortSignal): Promise<CarrierAnswer>
}

/** A carrier that the operator contacts by hand: ports change only by the operator's actions. */
export function createOperatorCarrier(): LosingCarrier {
  return {
    portability: () =>
      Promise.resolve({
        isPortable: true,
        reason: undefined,
        losingCarrier: 'Unknown',
        localRoutingNumber: undefined,
        rateCenterTier: undefined,
      }),
    ask: () => Promise.resolve({ type: 'wait', until: undefined }),
  }
}
