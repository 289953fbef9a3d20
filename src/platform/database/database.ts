import Sqlite from 'better-sqlite3'
import { Kysely, type SqliteDatabase, SqliteDialect, sql, type Transaction } from 'kysely'
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
  /** False from the first write that a full or failing disk refuses until one succeeds. */
  readonly isWritable: boolean
}

/**
 * Opens the database file, creates it when there is none, and brings its tables up to date. Throws a
 * `SchemaMismatchError` when these migrations did not make the file.
 */
export function openDatabase(file: string, migrations: readonly Migration[]): Database {
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

  const writer = new Kysely<Tables>({
    dialect: new SqliteDialect({ database: withStatementCache(withKindRollback(connection)) }),
  })
  const read = new Kysely<Tables>({
    dialect: new SqliteDialect({ database: withStatementCache(readConnection) }),
  })
  const queue = new WriteQueue<Writer>({
    isOpen: () => connection.inTransaction,
    transaction: (work) => writer.transaction().execute(work),
    savepoint: async (tx, work) => {
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
    },
  })
  const health = new WriteHealth(async () => {
    // Any row will do: only a page that is really written says that the disk takes one.
    await queue.run((tx) => sql`update schema_migrations set name = name`.execute(tx))
  })
  return {
    read,
    write: (work) => health.watch(queue.run(work)),
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

/** A full disk rolls back by itself (sqlite.org/lang_transaction.html §3); asking again would hide why. */
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
