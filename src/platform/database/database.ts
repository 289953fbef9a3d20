import type { Expression, Kysely, Transaction } from 'kysely'
import type { Tables } from './tables.js'

export type Reader = Kysely<Tables>
export type Writer = Transaction<Tables>
/** A text of each row of a query, such as one of its columns. */
export type RowText = Expression<string>
/** A query within another one. */
export type Subquery = Expression<unknown>
export type EngineName = 'sqlite' | 'postgres'

/**
 * How a write is kept apart from those that run at the same moment.
 *
 * - `serializable`: as if one ran after the other. Writes that cross run again.
 * - `read-committed`: each statement sees what was committed before it, and waits for the rows that
 *   another write changes. It is for work that decides nothing by what an earlier statement has read:
 *   each statement is an insert with a unique key, a compare-and-set, or reads rows that it locks.
 */
export type Isolation = 'serializable' | 'read-committed'

/**
 * The store. Reads take `read`; writes take the transaction that `write` hands out, so a write
 * outside a transaction does not compile. Side effects wait until `write` has resolved.
 */
export interface Database extends AsyncDisposable {
  /**
   * The name of this process among those that share the database; it stays the same over restarts.
   * Claims and the rows of live calls carry it.
   */
  readonly node: string
  readonly engine: EngineName
  readonly read: Reader
  /**
   * Runs `work` in a transaction and resolves once it is durable. A `work` that throws rolls back
   * alone. Two writes at once may end in either order. Where several processes share the database,
   * `work` runs again when it crossed another write, so it has no effect beside the database. Rejects
   * with a `StorageUnavailableError` when nothing can be stored at this moment. It is `serializable`
   * unless `isolation` says otherwise.
   */
  write<Result>(work: (tx: Writer) => Promise<Result>, isolation?: Isolation): Promise<Result>
  /**
   * As `write`, `read-committed`, but one after the other among all writes with the same `turn`, of any
   * process. The ids that the database gives to their rows grow in the order of their commits: a
   * reader that has seen one of them has seen every smaller one.
   */
  writeInTurn<Result>(turn: string, work: (tx: Writer) => Promise<Result>): Promise<Result>
  /**
   * As `write`, but every `read` and `write` that `work` leads to joins the transaction: all of it is
   * stored, or nothing. `work` waits for nothing but this database, since others wait for it.
   */
  inOneCommit<Result>(work: (tx: Writer) => Promise<Result>): Promise<Result>
  /**
   * Runs `effect` once the transaction `tx` is durable; it never runs when the transaction is rolled
   * back or has to run again.
   */
  onCommit(tx: Writer, effect: () => void): void
  /** Runs `effect` once the caller's writes are durable: at once, or after its one commit. */
  whenDurable(effect: () => void): void
  /** False from the first write that the storage refuses until one succeeds. */
  readonly isWritable: boolean
  /** The gauges and counters of the storage by name, for the operator. */
  figures(): Readonly<Record<string, number>>
}
