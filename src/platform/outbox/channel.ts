import type { Writer } from '../database/database.js'
import type { AttemptResult, Mark, NewOutboxRow, OutboxRow } from './outbox-row.js'

/** One way of delivering rows: callbacks of the voice API, events of the registry. */
export interface Channel<Item> {
  /** The name, which is stored with each row and never changes. */
  readonly name: string
  readonly toRow: (item: Item) => Omit<NewOutboxRow, 'channel'>
  /**
   * Makes one attempt, bounded in time. A rejection is logged as a fault of ours and does not
   * count.
   */
  readonly deliver: (row: OutboxRow, signal: AbortSignal) => Promise<Delivery>
  readonly nextAttemptAt: NextAttemptAt
  /**
   * The failed attempts after which a row steps aside: later rows of its stream go out, and it is tried
   * again beside them. Absent: a row holds its stream until it is delivered or given up.
   */
  readonly stepsAsideAfter?: number
  /** Stores more about an attempt, in the transaction that marks its row. */
  readonly onMarked?: (tx: Writer, mark: Mark) => Promise<void>
  /** Sees each row that is given up, once that is stored. */
  readonly onGivenUp?: ((row: OutboxRow, result: AttemptResult) => void) | undefined
}

/**
 * Returns the time of the next attempt after a failure; undefined when it is time to give up.
 * `attempts` counts the one that just failed; `random` is in [0, 1).
 */
export type NextAttemptAt = (
  row: { readonly createdAt: number; readonly attempts: number },
  now: number,
  random: number,
) => number | undefined

export type Delivery =
  | ({ readonly type: 'delivered' } & AttemptResult)
  /** The attempt failed; another one may succeed. */
  | ({ readonly type: 'failed' } & AttemptResult)
  /** The attempt was refused: another one would bring the same answer, or is not wanted. */
  | ({ readonly type: 'refused' } & AttemptResult)
  /** The signal ended the attempt, which does not count. */
  | { readonly type: 'aborted' }
