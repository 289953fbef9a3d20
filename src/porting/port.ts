/** Ports: orders to move numbers here from another carrier. */

export type PortKind = 'local' | 'toll-free'

/**
 * The progress of a port.
 *
 *     submitted ─▶ validating ─▶ pending ─▶ foc ─▶ complete
 *         ▲            │            │        │
 *         └─ exception ◀────────────┴────────┘     (corrected and resubmitted)
 *
 * `submitted` waits for the letter of authorisation and the review, `validating` is under review,
 * `pending` is with the losing carrier, `foc` has a firm order commitment: the date on which the
 * numbers move. A port that is not complete may be `cancelled`.
 */
export type Progress =
  | { readonly state: 'submitted'; readonly isSigned: boolean }
  | { readonly state: 'validating' }
  | { readonly state: 'pending' }
  | { readonly state: 'foc'; readonly foc: string }
  | { readonly state: 'exception'; readonly reason: string }
  | { readonly state: 'complete'; readonly foc: string }
  | { readonly state: 'cancelled' }

export type PortState = Progress['state']

/** Final states of a port. */
export const FINAL_STATES: readonly PortState[] = ['complete', 'cancelled']

/** The APIs' status names of the states. */
export const STATUS_OF: Readonly<Record<PortState, string>> = {
  submitted: 'Submitted',
  validating: 'Validating',
  pending: 'Pending',
  foc: 'FOC',
  exception: 'Exception',
  complete: 'Complete',
  cancelled: 'Cancelled',
}

/** Settings of a number that apply once its port is complete. */
export interface NumberFeatures {
  /** Id of the number's route: a system route or a gateway of the account. */
  readonly gatewayId?: number | undefined
  /** Id of the number's 10DLC campaign. */
  readonly campaignId?: string | undefined
  /** Caller name (CNAM) shown on calls from the number. */
  readonly callerName?: string | undefined
}

export interface PortedNumber {
  readonly e164: string
  readonly features: NumberFeatures
}

/** The subscriber as recorded by the losing carrier. */
export interface Subscriber {
  readonly name: string
  readonly nameType: 'business' | 'residential'
  readonly authPerson: string
  /** The billing telephone number, ten digits. */
  readonly lcBtn: string
  readonly lcAccountNumber: string
  readonly streetNumber: string
  readonly streetPrefix: string
  readonly street: string
  readonly streetType: string
  readonly streetSuffix: string
  readonly city: string
  readonly state: string
  readonly zip: string
  readonly country: string
  readonly unitValue: string
  readonly building: string
  readonly floor: string
  readonly room: string
  /** Requested date, `YYYY-MM-DD`; empty for standard processing. */
  readonly desiredDueDate: string
}

export interface Port {
  readonly sid: string
  readonly accountSid: string
  /** Public id of the port: five letters and digits. */
  readonly pid: string
  /** Number of the submission's support ticket. */
  readonly ticket: number
  readonly kind: PortKind
  readonly progress: Progress
  /** True once the letter of authorisation is stored or not required. */
  readonly isSigned: boolean
  /** The last committed date, `YYYY-MM-DD`; undefined before the first. */
  readonly foc: string | undefined
  /** Number of changes so far, for optimistic locking. */
  readonly changes: number
  /** Explanation of the latest change, for people. */
  readonly message: string
  readonly subscriber: Subscriber
  /** The PIN for the losing carrier, sealed; undefined when none was given. */
  readonly pinSealed: string | undefined
  readonly losingCarrier: string
  readonly numbers: readonly PortedNumber[]
  /** Time at which the port entered its state. */
  readonly enteredAt: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** A requested port before it is stored. */
export interface NewPort {
  readonly subscriber: Subscriber
  readonly pin: string | undefined
  readonly numbers: readonly PortedNumber[]
}
