/** Ports: orders to bring numbers from another carrier. */

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

/** The states from which a port moves no more. */
export const FINAL_STATES: readonly PortState[] = ['complete', 'cancelled']

/** The statuses by which the APIs name the states. */
export const STATUS_OF: Readonly<Record<PortState, string>> = {
  submitted: 'Submitted',
  validating: 'Validating',
  pending: 'Pending',
  foc: 'FOC',
  exception: 'Exception',
  complete: 'Complete',
  cancelled: 'Cancelled',
}

/** Settings of a number once its port is complete. */
export interface NumberFeatures {
  /** The route of the number: a system route, or a gateway of the account. */
  readonly gatewayId?: number | undefined
  /** The 10DLC campaign of the number. */
  readonly campaignId?: string | undefined
  /** The name that calls from the number show. */
  readonly callerName?: string | undefined
}

export interface PortedNumber {
  readonly e164: string
  readonly features: NumberFeatures
}

/** The subscriber as the losing carrier knows it. */
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
  /** The wished date, `YYYY-MM-DD`; empty: standard processing. */
  readonly desiredDueDate: string
}

export interface Port {
  readonly sid: string
  readonly accountSid: string
  /** Five letters and digits, by which customers name the port. */
  readonly pid: string
  /** The number of the support ticket of the submission. */
  readonly ticket: number
  readonly kind: PortKind
  readonly progress: Progress
  /** True once the letter of authorisation is there, or is not needed. */
  readonly isSigned: boolean
  /** The firm date `YYYY-MM-DD` that was committed last; undefined without one. */
  readonly foc: string | undefined
  /** The number of the changes so far; two changes at once have different ones. */
  readonly changes: number
  /** Explanation of the newest change, for people. */
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

/** A port that a customer asks for, before it is stored. */
export interface NewPort {
  readonly subscriber: Subscriber
  readonly pin: string | undefined
  readonly numbers: readonly PortedNumber[]
}
