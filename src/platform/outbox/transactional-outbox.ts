import type { Isolation, Writer } from '../database/database.js'

/** Stores changes together with the items that report them: either both are stored, or neither. */
export interface TransactionalOutbox<Item> {
  /**
   * Runs `work` in one transaction. Enqueued items are delivered once that is durable, soon and at
   * least once. Rejects as `Database.write` does; then nothing is delivered. Enqueuing is right in
   * either isolation.
   */
  commit<Result>(
    work: (tx: Writer, enqueue: Enqueue<Item>) => Promise<Result>,
    isolation?: Isolation,
  ): Promise<Result>
}

/** Takes items into the transaction, in order. */
export type Enqueue<Item> = (items: readonly Item[]) => Promise<void>
