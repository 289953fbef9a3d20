import type Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import type { DirectReader } from '../direct-reader.js'
import type { Tables } from '../tables.js'
import { withoutNul } from '../without-nul.js'
import { sqliteConnection } from './sqlite-connection.js'
import { withStatementCache } from './statement-cache.js'

interface Prepared {
  readonly statement: Sqlite.Statement
  readonly columns: readonly string[]
}

/** Reads that wait for nothing: each statement is over before another begins. */
export class SqliteReader extends Kysely<Tables> implements DirectReader {
  readonly #connection: Sqlite.Database
  /** The statements that were compiled once: a few, each written in the source. */
  readonly #prepared = new Map<string, Prepared>()

  constructor(connection: Sqlite.Database) {
    const database = withStatementCache(sqliteConnection(connection))
    super({ dialect: new SqliteDialect({ database }) })
    this.#connection = connection
  }

  /** Takes the rows as lists and names their fields here, in half the time that the driver needs. */
  rowsOf(sql: string, parameters: readonly unknown[]): readonly unknown[] {
    const { statement, columns } = this.#prepare(sql)
    // Such a statement answers rows as lists.
    const rows = statement.all(...parameters.map(withoutNul)) as readonly (readonly unknown[])[]
    return rows.map((values) => {
      const row: Record<string, unknown> = {}
      for (let at = 0; at < columns.length; at += 1) row[columns[at] ?? ''] = values[at]
      return row
    })
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known !== undefined) return known
    const statement = this.#connection.prepare(sql).raw()
    const made = { statement, columns: statement.columns().map(({ name }) => name) }
    this.#prepared.set(sql, made)
    return made
  }
}
