export const SENDERS: readonly string[]
/** Number of sender-recipient pairs; the messages of a pair are sent one at a time. */
export const PAIRS: number
/** Initial balance of the account and its price per segment, in 1/10,000 dollar. */
export const FUNDS: number
export const SEGMENT: number
export interface PlannedMessage {
  readonly pair: number
  readonly from: string
  readonly to: string
  readonly body: string
  readonly segments: number
}
/** The message with this index. */
export function messageOf(index: number): PlannedMessage
