import type { EngineName, Isolation, Reader, Writer } from './database.js'

/** One kind of storage below `Database`: what differs between SQLite and PostgreSQL. */
export interface Engine extends AsyncDisposable {
  readonly name: EngineName
  /**
   * True when a refused write says that the storage is away as a whole: other writes are then refused
   * at once, so that none of them waits for it.
   */
  readonly isRemote: boolean
  readonly read: Reader
  /** Runs `work` in a transaction of its own and resolves once it is durable. */
  transaction<Result>(work: (tx: Writer) => Promise<Result>, isolation: Isolation): Promise<Result>
  /** Waits until no other transaction has this turn, and has it until the transaction ends. */
  takeTurn(tx: Writer, turn: string): Promise<void>
  /** Runs `work` within an open transaction; a `work` that throws undoes its own changes only. */
  savepoint<Result>(tx: Writer, work: () => Promise<Result>): Promise<Result>
  /** Makes a `StorageUnavailableError` of a failure that says that nothing can be stored now. */
  failureOf(error: unknown): unknown
  /** Calls `listener` when the engine loses its storage while nothing is being written. */
  onLost(listener: () => void): void
  /** The gauges and counters of the engine by name. */
  figures(): Readonly<Record<string, number>>
}
