import Sqlite from 'better-sqlite3'
import { Kysely, type SqliteDatabase, SqliteDialect, sql, type Transaction } from 'kysely'
import { JoinedWrites } from './joined-writes.js'
import { migrate } from './migrate.js'
import type { Migration } from './migration.js'
import { withStatementCache } from './statement-cache.js'
import type { Tables } from './tables.js'
import { WriteHealth } from './write-health.js'
import { WriteQueue } from './write-queue.js'

export type Reader = Kysely<Tables>
export type Writer = Transaction<Tables>

/**
 * The store. Reads take `read`; writes take the transaction that `write` hands out, so a write
 * outside a transaction does not compile. Side effects wait until `write` has resolved.
 */
export interface Database extends AsyncDisposable {
  readonly read: Reader
  /**
   * Runs `work` in a transaction and resolves once it is durable. Writes that arrive together share
   * one commit; a `work` that throws rolls back alone.
   */
  write<Result>(work: (tx: Writer) => Promise<Result>): Promise<Result>
  /**
   * As `write`, but every `read` and `write` that `work` leads to joins the transaction: all of it is
   * stored, or nothing. `work` waits for nothing but this database, since others wait for it.
   */
  inOneCommit<Result>(work: (tx: Writer) => Promise<Result>): Promise<Result>
  /** Runs `effect` once the caller's writes are durable: at once, or after its one commit. */
  whenDurable(effect: () => void): void
  /** False from the first write that a full or failing disk refuses until one succeeds. */
  readonly isWritable: boolean
}

/**
 * Opens the database file, creates it when there is none, and brings its tables up to date. Throws a
 * `SchemaMismatchError` when these migrations did not make the file.
 */
export function openDatabase(file: string, migrations: readonly Migration[]): Database {
  const { connection, readConnection } = openConnections(file, migrations)
  const writer = new Kysely<Tables>({
    dialect: new SqliteDialect({ database: withStatementCache(withKindRollback(connection)) }),
  })
  const read = new Kysely<Tables>({
    dialect: new SqliteDialect({ database: withStatementCache(readConnection) }),
  })
  const savepoint = savepointsOf(connection)
  const queue = new WriteQueue<Writer>({
    isOpen: () => connection.inTransaction,
    transaction: (work) => writer.transaction().execute(work),
    savepoint,
  })
  const health = new WriteHealth(async () => {
    // Any row will do: only a page that is really written says that the disk takes one.
    await queue.run((tx) => sql`update schema_migrations set name = name`.execute(tx))
  })
  const joined = new JoinedWrites<Writer>()
  const write: Database['write'] = (work) => {
    const within = joined.current
    if (within === undefined) return health.watch(queue.run(work))
    return health.watch(within.turns.run(() => savepoint(within.tx, () => work(within.tx))))
  }
  return {
    get read() {
      return joined.current?.tx ?? read
    },
    write,
    inOneCommit: async (work) => {
      const { result, effects } = await write((tx) => joined.run(tx, () => work(tx)))
      for (const effect of effects) effect()
      return result
    },
    whenDurable: (effect) => {
      const within = joined.current
      if (within === undefined) effect()
      else within.effects.push(effect)
    },
    get isWritable() {
      return health.isWritable
    },
    [Symbol.asyncDispose]: async () => {
      health[Symbol.dispose]()
      await queue.drain()
      await read.destroy()
      connection.pragma('wal_checkpoint(TRUNCATE)')
      await writer.destroy()
    },
  }
}

function openConnections(file: string, migrations: readonly Migration[]) {
  const connection = new Sqlite(file)
  // FULL: a 201 survives a power cut; better-sqlite3 is compiled with NORMAL for WAL.
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = FULL')
  connection.pragma('foreign_keys = ON')
  connection.pragma('busy_timeout = 5000')
  try {
    migrate(connection, migrations)
  } catch (error) {
    connection.close()
    throw error
  }
  const readConnection = new Sqlite(file, { readonly: true })
  readConnection.pragma('busy_timeout = 5000')
  return { connection, readConnection }
}

type Savepoint = <Result>(tx: Writer, work: () => Promise<Result>) => Promise<Result>

function savepointsOf(connection: Sqlite.Database): Savepoint {
  return async (tx, work) => {
    await sql`savepoint job`.execute(tx)
    try {
      const result = await work()
      await sql`release job`.execute(tx)
      return result
    } catch (error) {
      if (connection.inTransaction) {
        await sql`rollback to job`.execute(tx)
        await sql`release job`.execute(tx)
      }
      throw error
    }
  }
}

/**
 * Makes a rollback harmless after a full disk, which rolls back by itself
 * (sqlite.org/lang_transaction.html §3): another rollback would hide the cause.
 */
function withKindRollback(connection: Sqlite.Database): SqliteDatabase {
  return {
    close: () => {
      connection.close()
    },
    prepare: (text) => {
      const statement = connection.prepare(text)
      return {
        reader: statement.reader,
        all: (parameters) => statement.all(...parameters),
        iterate: (parameters) => statement.iterate(...parameters),
        run: (parameters) =>
          text === 'rollback' && !connection.inTransaction
            ? { changes: 0, lastInsertRowid: 0 }
            : statement.run(...parameters),
      }
    },
  }
}
