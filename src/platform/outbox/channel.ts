import type { Writer } from '../database/database.js'
import type { AttemptResult, Mark, NewOutboxRow, OutboxRow } from './outbox-row.js'

/** A way to deliver rows: callbacks of the voice API, events of the registry. */
export interface Channel<Item> {
  /** Name of the channel, stored with each row; it never changes. */
  readonly name: string
  readonly toRow: (item: Item) => Omit<NewOutboxRow, 'channel'>
  /** Makes one attempt, bounded in time. A rejection is logged as an internal error and does not count. */
  readonly deliver: (row: OutboxRow, signal: AbortSignal) => Promise<Delivery>
  readonly nextAttemptAt: NextAttemptAt
  /**
   * Failed attempts after which a row steps aside: later rows of its stream overtake it. Absent: a row delays
   * its stream until it is delivered or given up.
   */
  readonly stepsAsideAfter?: number
  /** Stores more about an attempt, in the transaction that marks its row. */
  readonly onMarked?: (tx: Writer, mark: Mark) => Promise<void>
  /** Called for each row that is given up, once that is stored. */
  readonly onGivenUp?: ((row: OutboxRow, result: AttemptResult) => void) | undefined
}

/**
 * Returns the time of the next attempt after a failure; undefined to give up. `attempts` includes the one that
 * just failed; `random` is in [0, 1).
 */
export type NextAttemptAt = (
  row: { readonly createdAt: number; readonly attempts: number },
  now: number,
  random: number,
) => number | undefined

export type Delivery =
  | ({ readonly type: 'delivered' } & AttemptResult)
  /** The attempt failed; a retry may succeed. */
  | ({ readonly type: 'failed' } & AttemptResult)
  /** The attempt was refused: a retry would get the same answer, or is not wanted. */
  | ({ readonly type: 'refused' } & AttemptResult)
  /** The signal aborted the attempt, which does not count. */
  | { readonly type: 'aborted' }
