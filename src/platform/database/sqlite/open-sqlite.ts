import Sqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import { pause } from '../../async/sleep.js'
import { systemClock } from '../../clock.js'
import type { Bind } from '../at-rest.js'
import type { Writer } from '../database.js'
import type { DirectRows } from '../direct-rows.js'
import type { Engine } from '../engine.js'
import type { Migration } from '../migration.js'
import { StorageUnavailableError } from '../storage-error.js'
import type { Tables } from '../tables.js'
import { migrateSqlite } from './migrate-sqlite.js'
import { SqliteStatements } from './sqlite-statements.js'
import { SqliteWriter } from './sqlite-writer.js'
import { WriteQueue } from './write-queue.js'

/**
 * The SQLite codes that mean an unavailable disk. Extended codes begin with the name of the plain
 * one (sqlite.org/rescode.html).
 */
const UNAVAILABLE = ['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_CANTOPEN']

/**
 * Opens the database file, creates it when there is none, and brings its tables up to date. Throws a
 * `SchemaMismatchError` when these migrations did not make the file.
 */
export function openSqlite(file: string, migrations: readonly Migration[], bind: Bind): Engine {
  const { connection, readConnection } = openConnections(file, migrations)
  const writer = new SqliteWriter(connection, bind)
  const read = new SqliteReader(readConnection, bind)
  const queue = new WriteQueue<Writer>({
    isOpen: () => writer.isOpen,
    transaction: (work) => whenFree(() => writer.transaction(work)),
    savepoint: (work) => writer.savepoint(work),
  })
  return {
    name: 'sqlite',
    isRemote: false,
    read,
    transaction: (work) => queue.run(work),
    // There is one writer at a time.
    takeTurn: () => Promise.resolve(),
    savepoint: (_tx, work) => writer.savepoint(work),
    failureOf: (error) =>
      isUnavailable(error)
        ? new StorageUnavailableError('nothing can be stored at this moment', { cause: error })
        : error,
    // A file is lost by being written to only.
    onLost: () => undefined,
    figures: () => ({ waiting: queue.waiting }),
    [Symbol.asyncDispose]: async () => {
      await queue.drain()
      await read.destroy()
      connection.pragma('wal_checkpoint(TRUNCATE)')
      writer.close()
    },
  }
}

/** Synchronous reads: each statement ends before another begins. */
class SqliteReader extends Kysely<Tables> implements DirectRows {
  readonly #statements: SqliteStatements

  constructor(connection: Sqlite.Database, bind: Bind) {
    const statements = new SqliteStatements(connection, bind)
    super(statements.props)
    this.#statements = statements
  }

  rowsOf(sql: string, parameters: readonly unknown[]): readonly unknown[] {
    return this.#statements.rowsOf(sql, parameters)
  }

  override destroy(): Promise<void> {
    this.#statements.close()
    return Promise.resolve()
  }
}

function isUnavailable(error: unknown): boolean {
  return (
    error instanceof Sqlite.SqliteError && UNAVAILABLE.some((code) => error.code.startsWith(code))
  )
}

function openConnections(file: string, migrations: readonly Migration[]) {
  const connection = new Sqlite(file)
  // FULL: a 201 survives a power cut; better-sqlite3 is compiled with NORMAL for WAL.
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = FULL')
  connection.pragma('foreign_keys = ON')
  try {
    // A lock that another process holds is waited for: here by this thread, later by turns.
    connection.pragma('busy_timeout = 5000')
    migrateSqlite(connection, migrations)
    connection.pragma('busy_timeout = 0')
  } catch (error) {
    connection.close()
    throw error
  }
  const readConnection = new Sqlite(file, { readonly: true })
  readConnection.pragma('busy_timeout = 5000')
  return { connection, readConnection }
}

const BUSY_LIMIT_MS = 5_000
const BUSY_EVERY_MS = 5

/**
 * Begins a transaction as soon as no other process writes. Only the begin can find the lock taken, so `work`
 * has not run then.
 */
async function whenFree<Result>(transaction: () => Promise<Result>): Promise<Result> {
  const startedAt = systemClock.monotonic()
  for (;;) {
    try {
      return await transaction()
    } catch (error) {
      const isTaken = error instanceof Sqlite.SqliteError && error.code === 'SQLITE_BUSY'
      if (!isTaken || systemClock.monotonic() - startedAt > BUSY_LIMIT_MS) throw error
      await pause(BUSY_EVERY_MS)
    }
  }
}
