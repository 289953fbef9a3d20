/** A message as it is stored: one record for each message in or out. */

export type MessageDirection = 'inbound' | 'outbound-api' | 'outbound-reply'

export type MessageStatus =
  | 'scheduled'
  | 'queued'
  | 'sending'
  | 'sent'
  | 'delivered'
  | 'undelivered'
  | 'failed'
  | 'canceled'
  | 'received'

export const MESSAGE_STATUSES = [
  ...['scheduled', 'queued', 'sending', 'sent', 'delivered'],
  ...['undelivered', 'failed', 'canceled', 'received'],
] as readonly MessageStatus[] // every one of them

/** The longest time that a message waits for a carrier: it is the default too. */
export const MAX_VALIDITY_SECONDS = 36_000

/** Where the changes of a message are reported. */
export interface StatusCallback {
  readonly url: string
  readonly method: 'GET' | 'POST'
}

export interface MessageRecord {
  readonly sid: string
  readonly accountSid: string
  readonly direction: MessageDirection
  readonly from: string
  readonly to: string
  /** The text; empty once it was redacted. */
  readonly body: string
  readonly segments: number
  /** The subject of a message with media. */
  readonly subject: string | undefined
  /** The media that it has, those that are still to be fetched among them. */
  readonly numMedia: number
  readonly status: MessageStatus
  /** The documented number of the reason why it failed or was not delivered. */
  readonly errorCode: number | undefined
  /** What it costs, in 1/10,000 dollar; undefined until it is charged. */
  readonly price: number | undefined
  /** The price that is charged when a carrier takes it, in 1/10,000 dollar. */
  readonly cost: number
  /** The account that pays. */
  readonly billedSid: string
  /** The campaign, or the number without one, whose recipients opt out together. */
  readonly scope: string
  /** True for an answer to STOP, START or HELP: an opt-out does not hold it back. */
  readonly isKeywordAnswer: boolean
  readonly statusCallback: StatusCallback | undefined
  readonly applicationSid: string | undefined
  /** The time that it is scheduled for. */
  readonly sendAt: number | undefined
  /** The time after which it is not sent any more. */
  readonly expiresAt: number
  readonly sentAt: number | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** True for a message that nothing changes any more. */
export function isFinal(status: MessageStatus): boolean {
  return !['scheduled', 'queued', 'sending', 'sent'].includes(status)
}
