import type Sqlite from 'better-sqlite3'
import type { SqliteDatabase } from 'kysely'
import { withoutNul } from '../without-nul.js'

/** Makes a connection fit for the query builder. */
export function sqliteConnection(connection: Sqlite.Database): SqliteDatabase {
  return {
    close: () => {
      connection.close()
    },
    prepare: (text) => {
      const statement = connection.prepare(text)
      return {
        reader: statement.reader,
        all: (parameters) => statement.all(...parameters.map(withoutNul)),
        iterate: (parameters) => statement.iterate(...parameters.map(withoutNul)),
        run: (parameters) => statement.run(...parameters.map(withoutNul)),
      }
    },
  }
}
