/** The port to message carriers. A carrier reports deliveries later, as receipts. */
import type { MessageMedia } from './message-media.js'
import type { Encoding } from './segments/segment-text.js'

export interface Submission {
  /** Sid of the message, by which the carrier detects a repeated submission. */
  readonly sid: string
  readonly from: string
  /** A number in E.164, or a short code. */
  readonly to: string
  readonly encoding: Encoding
  /** The text in segments; a message with media has one. */
  readonly segments: readonly string[]
  readonly subject: string | undefined
  readonly media: readonly MessageMedia[]
}

export type SubmitOutcome =
  /** The carrier accepted the message: one id per segment with its own receipts, or one for all. */
  | { readonly type: 'accepted'; readonly ids: readonly string[] }
  /** The carrier will never accept the message. */
  | { readonly type: 'refused'; readonly errorCode: number }
  /** The carrier throttles or is unreachable; a retry may succeed. */
  | { readonly type: 'busy'; readonly reason: string }

export interface MessageCarrier {
  /** Name of the carrier, stored with the ids of segments; it never changes. */
  readonly name: string
  /** False when the carrier accepts texts only. */
  readonly takesMedia: boolean
  /** False when the carrier accepts E.164 recipients only. */
  readonly takesShortCodes: boolean
  /** Makes one attempt, bounded in time. A rejection counts as `busy`. */
  submit(message: Submission, signal: AbortSignal): Promise<SubmitOutcome>
}

/** A carrier that reports to its listener from `start` until disposed. */
export interface StartedCarrier extends MessageCarrier, AsyncDisposable {
  /** Starts to report receipts and messages. They may be reported more than once. */
  start(listener: CarrierListener): void
}

/** Receives a carrier's reports; each method resolves once the report is stored. */
export interface CarrierListener {
  receive(receipt: Receipt): Promise<void>
  take(inbound: InboundMessage): Promise<void>
}

/** A delivery receipt. It may come in any order, more than once, or for an unknown message. */
export interface Receipt {
  readonly carrier: string
  /** The carrier's id of the segment. */
  readonly id: string
  /** Alternative spellings of the id, for a carrier that uses several. */
  readonly otherIds?: readonly string[]
  /** Number or short code of the recipient; undefined when the carrier does not say. */
  readonly recipient?: string | undefined
  /** State in the receipt: `DELIVRD`, `UNDELIV`, … */
  readonly state: string
}

/** An inbound message from a carrier; it may be reported more than once. */
export interface InboundMessage {
  readonly carrier: string
  /** The carrier's id of the message, the same for each repetition. */
  readonly id: string
  /** Both numbers in E.164. */
  readonly from: string
  readonly to: string
  readonly body: string
  readonly subject?: string | undefined
  readonly media?: readonly InboundMedia[] | undefined
}

/** Media of an inbound message: a URL to fetch, or a file that this server already has. */
export type InboundMedia =
  | { readonly type: 'url'; readonly url: string }
  | ({ readonly type: 'file' } & Pick<MessageMedia, 'file' | 'contentType' | 'bytes'>)
