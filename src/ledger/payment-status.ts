/**
 * The life of a cash payment, as payment providers tell it. Pure.
 *
 *   Pending ──▶ Completed ──▶ Reversed ◀──▶ Canceled_Reversal
 *      │            └───────▶ Refunded ◀────────┘
 *      └──▶ Failed | Denied
 */
export const PAYMENT_STATUSES = [
  'Completed',
  'Pending',
  'Reversed',
  'Refunded',
  'Failed',
  'Denied',
  'Canceled_Reversal',
] as const

export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]

const NEXT: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  Pending: ['Completed', 'Failed', 'Denied'],
  Completed: ['Reversed', 'Refunded'],
  Reversed: ['Canceled_Reversal'],
  Canceled_Reversal: ['Reversed', 'Refunded'],
  Refunded: [],
  Failed: [],
  Denied: [],
}

/** True when a payment may change from one status to the other. */
export function mayFollow(from: PaymentStatus, to: PaymentStatus): boolean {
  return NEXT[from].includes(to)
}

/** True when a payment with this status is credited to the account. */
export function isCredited(status: PaymentStatus): boolean {
  return status === 'Completed' || status === 'Canceled_Reversal'
}
