import type { EngineName, Isolation, Reader, Writer } from './database.js'

/** A storage engine below `Database`: what differs between SQLite and PostgreSQL. */
export interface Engine extends AsyncDisposable {
  readonly name: EngineName
  /**
   * True when one refused write means that the whole storage is unreachable; other writes are then refused at
   * once instead of waiting.
   */
  readonly isRemote: boolean
  readonly read: Reader
  /** Runs `work` in its own transaction and resolves once it is durable. */
  transaction<Result>(work: (tx: Writer) => Promise<Result>, isolation: Isolation): Promise<Result>
  /** Acquires the lock named `turn` and holds it until the transaction ends. */
  takeTurn(tx: Writer, turn: string): Promise<void>
  /** Runs `work` in a savepoint of an open transaction; if `work` throws, only its own changes are undone. */
  savepoint<Result>(tx: Writer, work: () => Promise<Result>): Promise<Result>
  /**
   * Returns a `StorageUnavailableError` for a failure that means nothing can be stored now; others unchanged.
   */
  failureOf(error: unknown): unknown
  /** Calls `listener` when the engine loses its storage while no write is running. */
  onLost(listener: () => void): void
  /** Gauges and counters of the engine by name. */
  figures(): Readonly<Record<string, number>>
}
