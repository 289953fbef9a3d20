import type { CallDocument, StatusCallbackChange } from './call-plan.js'

/** A change of a live call. It is plain JSON: another node may be asked to make it. */
export interface UpdateCall {
  /** The requested end; it wins over a document. */
  readonly end?: 'completed' | 'canceled'
  readonly document?: CallDocument
  readonly statusCallback?: StatusCallbackChange
  readonly timeLimitSeconds?: number
}

/**
 * The outcome of a change that another node asked for: made, or refused because the call is not in
 * progress. What failed on the call's own node has no outcome: its request failed.
 */
export type WantedOutcome = 'made' | 'not-in-progress'
