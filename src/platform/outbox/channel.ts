import type { Writer } from '../database/database.js'
import type { AttemptResult, Mark, NewOutboxRow, OutboxRow } from './outbox-row.js'

/** One way of delivering rows: callbacks of the voice API, events of the registry. */
export interface Channel<Item> {
  /** Stored with each row; it never changes. */
  readonly name: string
  readonly toRow: (item: Item) => Omit<NewOutboxRow, 'channel'>
  /** Makes one attempt, bounded in time. A rejection is logged as a fault of ours and counts for nothing. */
  readonly deliver: (row: OutboxRow, signal: AbortSignal) => Promise<Delivery>
  readonly nextAttemptAt: NextAttemptAt
  /** Stores more about an attempt, in the transaction that marks its row. */
  readonly onMarked?: (tx: Writer, mark: Mark) => Promise<void>
  /** Sees each row that is given up, once that is stored. */
  readonly onGivenUp?: ((row: OutboxRow, result: AttemptResult) => void) | undefined
}

/**
 * When a row is tried again after a failure; undefined when it is time to give it up. `attempts`
 * counts the one that just failed; `random` is of [0, 1).
 */
export type NextAttemptAt = (
  row: { readonly createdAt: number; readonly attempts: number },
  now: number,
  random: number,
) => number | undefined

export type Delivery =
  | ({ readonly type: 'delivered' } & AttemptResult)
  /** Another attempt may succeed. */
  | ({ readonly type: 'failed' } & AttemptResult)
  /** Another attempt would bring the same. */
  | ({ readonly type: 'refused' } & AttemptResult)
  /** The signal ended the attempt, which counts for nothing. */
  | { readonly type: 'aborted' }
