/** A stored message, inbound or outbound. */

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

/** Maximum and default time that a message waits for a carrier, seconds. */
export const MAX_VALIDITY_SECONDS = 36_000

/** Where status changes of a message are reported. */
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
  /** The text; empty once redacted. */
  readonly body: string
  readonly segments: number
  /** The subject of a message with media. */
  readonly subject: string | undefined
  /** Number of its media, including those still to be fetched. */
  readonly numMedia: number
  readonly status: MessageStatus
  /** Documented number of the reason why it failed or was not delivered. */
  readonly errorCode: number | undefined
  /** Price in 1/10,000 dollar; undefined until charged. */
  readonly price: number | undefined
  /** Price charged when a carrier accepts it, in 1/10,000 dollar. */
  readonly cost: number
  /** The account that pays. */
  readonly billedSid: string
  /** Campaign, or the number when it has none; opt-outs hold for this scope. */
  readonly scope: string
  /** True for an answer to STOP, START or HELP, which opt-outs do not block. */
  readonly isKeywordAnswer: boolean
  readonly statusCallback: StatusCallback | undefined
  readonly applicationSid: string | undefined
  /** Scheduled time. */
  readonly sendAt: number | undefined
  /** Time after which it is no longer sent. */
  readonly expiresAt: number
  readonly sentAt: number | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** True for a status that never changes. */
export function isFinal(status: MessageStatus): boolean {
  return !['scheduled', 'queued', 'sending', 'sent'].includes(status)
}
