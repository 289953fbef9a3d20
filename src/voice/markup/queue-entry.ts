/** The queue operations of a running document; see `MarkupHost`. */
import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { Leg } from '../telephony/port.js'

type Params = Readonly<Record<string, string>>

/** The end of a wait. `over`: the signal aborted. The other values name what the markup led to. */
export type WaitEnd = 'over' | 'left-queue' | 'hangup' | 'error'

export interface QueueRequest {
  /** An absolute URL. */
  readonly url: string
  readonly method: WebhookMethod
}

/** A call's entry into a queue, and the markup that it hears there. */
export interface QueueEntry {
  readonly name: string
  /**
   * The most callers in the queue, this one included; undefined when the queue's own limit holds.
   */
  readonly maxSize: number | undefined
  /**
   * The action that gets the result: as the next document when the call goes on, else as a
   * callback.
   */
  readonly action: QueueRequest | undefined
  /**
   * Plays until the signal aborts or the caller leaves. `standing` gives the parameters of its
   * requests.
   */
  readonly wait: (standing: () => Params, until: AbortSignal) => Promise<WaitEnd>
  /** Plays the announcement that the caller hears before it is connected. */
  readonly announce: (request: QueueRequest, params: Params, until: AbortSignal) => Promise<void>
}

/** The result of a queue in the convention's words. */
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
  /** The parameters for the action. */
  readonly params: Params
}

export interface QueueDial {
  readonly name: string
  /** The document that the caller hears before it is connected. */
  readonly announcement: QueueRequest | undefined
  /** The longest wait for a caller when the queue is empty. */
  readonly timeoutMs: number
}

export type QueueDialAnswer =
  | { readonly type: 'nobody'; readonly why: 'no-queue' | 'timeout' }
  | { readonly type: 'ready'; readonly party: QueuedParty }

/** A caller who has left the queue to be connected. The leg is usable until the signal aborts. */
export interface QueuedParty {
  readonly callSid: string
  readonly leg: Leg
  readonly signal: AbortSignal
  /**
   * Called once. The caller's document goes on; after `not-connected` the caller waits on in its
   * former place.
   */
  readonly done: (how: 'parted' | 'failed' | 'not-connected') => {
    readonly durationSeconds: number
  }
}
