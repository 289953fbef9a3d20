/** The queue operations of a running document; see `MarkupHost`. */
import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { Leg } from '../telephony/port.js'

type Params = Readonly<Record<string, string>>

/** The end of a wait. `over`: the signal aborted. The other values are results of the markup. */
export type WaitEnd = 'over' | 'left-queue' | 'hangup' | 'error'

export interface QueueRequest {
  /** An absolute URL. */
  readonly url: string
  readonly method: WebhookMethod
}

/** A call's entry into a queue, and its waiting markup. */
export interface QueueEntry {
  readonly name: string
  /** Maximum number of callers in the queue, including this one; the queue's own limit when undefined. */
  readonly maxSize: number | undefined
  /** The action that gets the result: as the next document when the call continues, else as a callback. */
  readonly action: QueueRequest | undefined
  /**
   * Plays the waiting markup until the signal aborts or the caller leaves. `standing` returns the parameters
   * of its requests.
   */
  readonly wait: (standing: () => Params, until: AbortSignal) => Promise<WaitEnd>
  /** Plays the announcement to the caller before it is connected. */
  readonly announce: (request: QueueRequest, params: Params, until: AbortSignal) => Promise<void>
}

/** The result of a queue, by its wire name. */
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
  /** The document that is played to the waiting caller before it is connected. */
  readonly announcement: QueueRequest | undefined
  /** Maximum wait for a caller while the queue is empty, ms. */
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
   * Must be called once. The caller's document then continues; after `not-connected` the caller waits again
   * in its former place.
   */
  readonly done: (how: 'parted' | 'failed' | 'not-connected') => {
    readonly durationSeconds: number
  }
}
