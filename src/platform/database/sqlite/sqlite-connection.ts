import type Sqlite from 'better-sqlite3'
import type { SqliteDatabase } from 'kysely'
import { withoutNul } from '../without-nul.js'

/**
 * Makes a connection fit for the query builder. A rollback after a full disk, which rolls back by
 * itself (sqlite.org/lang_transaction.html §3), is harmless: it would hide the cause.
 */
export function sqliteConnection(connection: Sqlite.Database): SqliteDatabase {
  return {
    close: () => {
      connection.close()
    },
    prepare: (text) => {
      // Takes the write lock first: a transaction that has read cannot take it once another wrote.
      const statement = connection.prepare(text === 'begin' ? 'begin immediate' : text)
      return {
        reader: statement.reader,
        all: (parameters) => statement.all(...parameters.map(withoutNul)),
        iterate: (parameters) => statement.iterate(...parameters.map(withoutNul)),
        run: (parameters) =>
          text === 'rollback' && !connection.inTransaction
            ? { changes: 0, lastInsertRowid: 0 }
            : statement.run(...parameters.map(withoutNul)),
      }
    },
  }
}
