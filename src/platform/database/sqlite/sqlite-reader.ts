import type Sqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import type { Bind } from '../at-rest.js'
import type { DirectRows } from '../direct-reader.js'
import type { Tables } from '../tables.js'
import { SqliteStatements } from './sqlite-statements.js'

/** Reads that wait for nothing: each statement is over before another begins. */
export class SqliteReader extends Kysely<Tables> implements DirectRows {
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
