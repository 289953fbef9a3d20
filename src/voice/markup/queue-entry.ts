/** The queue operations of a running document; see `MarkupHost`. */
import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { Leg } from '../telephony/port.js'

type Params = Readonly<Record<string, string>>

/** How a wait ended. `over`: the signal aborted. The others: what the markup led to. */
export type WaitEnd = 'over' | 'left-queue' | 'hangup' | 'error'

export interface QueueRequest {
  /** An absolute URL. */
  readonly url: string
  readonly method: WebhookMethod
}

/** A call's entry into a queue, and what it hears there. */
export interface QueueEntry {
  readonly name: string
  /** The most callers in the queue, this one included; undefined when the queue's own limit holds. */
  readonly maxSize: number | undefined
  /** Learns the result: from the document that goes on, else by a callback. */
  readonly action: QueueRequest | undefined
  /** Plays until the signal aborts or the caller wants to go; `standing` is what its requests say. */
  readonly wait: (standing: () => Params, until: AbortSignal) => Promise<WaitEnd>
  /** Plays what the caller hears before it is connected. */
  readonly announce: (request: QueueRequest, params: Params, until: AbortSignal) => Promise<void>
}

/** The convention's words. */
export type QueueResult =
  | 'bridged'
  | 'bridging-in-process'
  | 'error'
  | 'hangup'
  | 'leave'
  | 'queue-full'
  | 'redirected'
  | 'redirected-from-bridged'
  | 'system-error'

export interface QueueOutcome {
  readonly result: QueueResult
  /** The parameters that the action learns. */
  readonly params: Params
}

export interface QueueDial {
  readonly name: string
  /** The document that the caller hears before it is connected. */
  readonly announcement: QueueRequest | undefined
  /** How long to wait for a caller when there is none. */
  readonly timeoutMs: number
}

export type QueueDialAnswer =
  | { readonly type: 'nobody'; readonly why: 'no-queue' | 'timeout' }
  | { readonly type: 'ready'; readonly party: QueuedParty }

/** A caller who has left the queue to be connected, until the signal aborts. */
export interface QueuedParty {
  readonly callSid: string
  readonly leg: Leg
  readonly signal: AbortSignal
  /** Once: the caller's document goes on, or, `not-connected`, it waits on in its former place. */
  readonly done: (how: 'parted' | 'failed' | 'not-connected') => {
    readonly durationSeconds: number
  }
}
