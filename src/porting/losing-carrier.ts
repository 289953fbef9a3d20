/** The carrier that a number leaves, and the review before it is asked. */
import type { PortKind, PortState, Subscriber } from './port.js'

/** Whether a number may leave its carrier. */
export interface Portability {
  readonly isPortable: boolean
  /** Why not, in words that a customer can act on; undefined for a portable number. */
  readonly reason: string | undefined
  readonly losingCarrier: string
  /** The routing number of the carrier's switch, ten digits. */
  readonly localRoutingNumber: string | undefined
  readonly rateCenterTier: string | undefined
}

/** A port as the carrier sees it. */
export interface CarrierOrder {
  /** The same for every question about one port. */
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
  /** Grows with every change of the port: an order that was corrected has another one. */
  readonly version: number
  readonly subscriber: Subscriber
}

/**
 * The answer to an order in its state. `wait` asks to be asked again at a time; without one, not
 * before the state has changed.
 */
export type CarrierAnswer =
  | { readonly type: 'wait'; readonly until: number | undefined }
  | { readonly type: 'review-began' }
  | { readonly type: 'review-passed' }
  | { readonly type: 'date-confirmed'; readonly foc: string }
  | { readonly type: 'rejected'; readonly reason: string }
  | { readonly type: 'activated' }

/** Answers for carriers. Both methods reject with AdapterError while nobody can say. */
export interface LosingCarrier {
  portability(e164: string, signal: AbortSignal): Promise<Portability>
  /**
   * Moves an order on, or takes it back when it is cancelled. It may be asked again for the same
   * state after a crash, and then gives the same answer.
   */
  ask(order: CarrierOrder, now: number, signal: AbortSignal): Promise<CarrierAnswer>
}

/** A carrier that the operator speaks with: ports move only by the operator's hand. */
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
