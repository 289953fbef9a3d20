import type Sqlite from 'better-sqlite3'
import type { SqliteDatabase } from 'kysely'
import type { Bind } from '../at-rest.js'

/** Makes a connection fit for the query builder. */
export function sqliteConnection(connection: Sqlite.Database, bind: Bind): SqliteDatabase {
  return {
    close: () => {
      connection.close()
    },
    prepare: (text) => {
      const statement = connection.prepare(text)
      return {
        reader: statement.reader,
        all: (parameters) => statement.all(...parameters.map(bind)),
        iterate: (parameters) => statement.iterate(...parameters.map(bind)),
        run: (parameters) => statement.run(...parameters.map(bind)),
      }
    },
  }
}
