import type { Expression, Kysely, Transaction } from 'kysely'
import type { Tables } from './tables.js'

export type Reader = Kysely<Tables>
export type Writer = Transaction<Tables>
/** A text expression over each row of a query, such as a column. */
export type RowText = Expression<string>
/** A query nested in another one. */
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
 * The store. Reads take `read`; writes take the transaction that `write` hands out, so a write outside one does
 * not compile. Side effects must wait until `write` has resolved.
 */
export interface Database extends AsyncDisposable {
  /**
   * Name of this process among those that share the database, stable over restarts. Claims and rows of live
   * calls carry it.
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
   * As `write` with `read-committed`, but serialized among all writes with the same `turn`, in every process.
   * Generated ids then grow in commit order: a reader that has seen one id has seen every smaller one.
   */
  writeInTurn<Result>(turn: string, work: (tx: Writer) => Promise<Result>): Promise<Result>
  /**
   * As `write`, but every `read` and `write` inside `work` joins one transaction: all is stored, or nothing.
   * `work` must wait for nothing but this database, since others wait for it.
   */
  inOneCommit<Result>(work: (tx: Writer) => Promise<Result>): Promise<Result>
  /**
   * Runs `effect` once the transaction `tx` is durable; never after a rollback or for an attempt that is
   * retried.
   */
  onCommit(tx: Writer, effect: () => void): void
  /** Runs `effect` once the caller's writes are durable: at once, or after the enclosing commit. */
  whenDurable(effect: () => void): void
  /** False from the first write that the storage refuses until a write succeeds. */
  readonly isWritable: boolean
  /** Gauges and counters of the storage by name. */
  figures(): Readonly<Record<string, number>>
}
