export const SENDERS: readonly string[]
/** The pairs of numbers: each has its messages one after the other. */
export const PAIRS: number
/** The money that the account begins with, in 1/10,000 dollar, and its price of a segment. */
export const FUNDS: number
export const SEGMENT: number
export interface PlannedMessage {
  readonly pair: number
  readonly from: string
  readonly to: string
  readonly body: string
  readonly segments: number
}
/** The message of that number. */
export function messageOf(index: number): PlannedMessage
