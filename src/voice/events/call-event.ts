import type { ErrorNumber } from '../errors/error-catalogue.js'

interface AnyCallEvent {
  readonly callSid: string
  readonly accountSid: string
}

/** An error, or a part of a request or document that was ignored or replaced by a default. */
interface FaultEvent extends AnyCallEvent {
  readonly kind: 'warning' | 'error'
  readonly detail: {
    readonly code: ErrorNumber
    readonly message: string
    readonly [more: string]: unknown
  }
}

interface PlainEvent extends AnyCallEvent {
  readonly kind:
    | 'status'
    | 'sip'
    | 'sip-message'
    | 'media'
    | 'webhook'
    | 'callback'
    | 'verb'
    | 'digits'
    | 'detection'
    | 'stream'
    | 'queue'
    | 'recording'
    | 'emergency'
    | 'synthesis'
  /** The details of the event, without secrets. The event log cuts long strings. */
  readonly detail: Readonly<Record<string, unknown>>
}

/** One event of a call. Customers read the events to find out why a call behaved as it did. */
export type CallEventEntry = FaultEvent | PlainEvent

/** A stored event; `at` is epoch milliseconds. */
export interface RecordedEvent extends AnyCallEvent {
  readonly kind: CallEventEntry['kind']
  readonly detail: Readonly<Record<string, unknown>>
  readonly at: number
}
