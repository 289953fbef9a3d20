import type { Isolation, Writer } from '../database/database.js'

/** Stores changes and the items that report them in one transaction. */
export interface TransactionalOutbox<Item> {
  /**
   * Runs `work` in one transaction. Enqueued items are delivered soon after the commit, at least once. Rejects
   * as `Database.write` does; then nothing is delivered. Either isolation level is safe.
   */
  commit<Result>(
    work: (tx: Writer, enqueue: Enqueue<Item>) => Promise<Result>,
    isolation?: Isolation,
  ): Promise<Result>
}

/** Adds items to the transaction, in order. */
export type Enqueue<Item> = (items: readonly Item[]) => Promise<void>
