/** The port to what carries messages. Each carrier reports deliveries later, as receipts. */
import type { MessageMedia } from './message-media.js'
import type { Encoding } from './segments/segment-text.js'

export interface Submission {
  /** The sid of the message: the carrier takes a second submission of it for the first one. */
  readonly sid: string
  readonly from: string
  /** A number in E.164, or a short code. */
  readonly to: string
  readonly encoding: Encoding
  /** The text in parts; that of a message with media is whole. */
  readonly segments: readonly string[]
  readonly subject: string | undefined
  readonly media: readonly MessageMedia[]
}

export type SubmitOutcome =
  /** The carrier has taken it: one id for each part that has receipts of its own, or one for all. */
  | { readonly type: 'accepted'; readonly ids: readonly string[] }
  /** The carrier will never take it. */
  | { readonly type: 'refused'; readonly errorCode: number }
  /** The carrier is throttling or away; it may take the message later. */
  | { readonly type: 'busy'; readonly reason: string }

export interface MessageCarrier {
  /** The name, which is stored with the ids of parts and never changes. */
  readonly name: string
  /** False when the carrier takes texts alone. */
  readonly takesMedia: boolean
  /** False when the carrier takes messages to numbers in E.164 alone. */
  readonly takesShortCodes: boolean
  /** Makes one attempt, bounded in time. A rejection counts as `busy`. */
  submit(message: Submission, signal: AbortSignal): Promise<SubmitOutcome>
}

/** A carrier that begins to speak once its listener is there, and stops when it is disposed of. */
export interface StartedCarrier extends MessageCarrier, AsyncDisposable {
  /** Begins to send receipts and messages. They may come more than once. */
  start(listener: CarrierListener): void
}

/** The side of the service that a carrier tells; each method resolves once what it is told is stored. */
export interface CarrierListener {
  receive(receipt: Receipt): Promise<void>
  take(inbound: InboundMessage): Promise<void>
}

/** A delivery receipt, in any order, more than once, or for a message that nobody knows. */
export interface Receipt {
  readonly carrier: string
  /** The id that the carrier gave to the part. */
  readonly id: string
  /** Other ids that the carrier may mean, for a carrier that spells its ids in several ways. */
  readonly otherIds?: readonly string[]
  /** The number or short code to which the part went; undefined when the carrier does not say it. */
  readonly recipient?: string | undefined
  /** The word of the receipt: `DELIVRD`, `UNDELIV`, … */
  readonly state: string
}

/** A message that a carrier brings; it may come more than once. */
export interface InboundMessage {
  readonly carrier: string
  /** The carrier's own name of the message, the same for each time it comes. */
  readonly id: string
  /** Both numbers in E.164. */
  readonly from: string
  readonly to: string
  readonly body: string
  readonly subject?: string | undefined
  readonly media?: readonly InboundMedia[] | undefined
}

/** A media that comes in: one to fetch, or one that a message of this server has already. */
export type InboundMedia =
  | { readonly type: 'url'; readonly url: string }
  | ({ readonly type: 'file' } & Pick<MessageMedia, 'file' | 'contentType' | 'bytes'>)
