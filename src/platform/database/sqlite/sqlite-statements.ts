import type Sqlite from 'better-sqlite3'
import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type KyselyProps,
  type QueryResult,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteStatement,
} from 'kysely'
import type { Bind } from '../at-rest.js'

interface Prepared {
  readonly statement: Sqlite.Statement
  readonly columns: readonly string[]
}

/**
 * Maximum length of a cached statement, characters; longer ones are batches of varying length and rarely recur.
 */
const MAX_SQL_CHARS = 4_000
const MAX_STATEMENTS = 500

/**
 * Runs the statements of one connection. Each ends before another begins, so no lock is needed: that of the
 * query builder's own driver costs more than most statements.
 */
export class SqliteStatements implements DatabaseConnection {
  /** What a query builder is made of whose statements run here. */
  readonly props: KyselyProps
  readonly #connection: Sqlite.Database
  readonly #bind: Bind
  readonly #database: SqliteDatabase
  /** Statements compiled once: a few, each written in the source. */
  readonly #readers = new Map<string, Prepared>()
  readonly #writers = new Map<string, Sqlite.Statement>()

  constructor(connection: Sqlite.Database, bind: Bind) {
    this.#connection = connection
    this.#bind = bind
    this.#database = withStatementCache(sqliteConnection(connection, bind))
    const dialect = new SqliteDialect({ database: this.#database })
    const provider: ConnectionProvider = { provideConnection: (consumer) => consumer(this) }
    this.props = {
      config: { dialect },
      dialect,
      driver: dialect.createDriver(),
      executor: new DefaultQueryExecutor(
        dialect.createQueryCompiler(),
        dialect.createAdapter(),
        provider,
      ),
    }
  }

  /** Runs a statement of the query builder. */
  executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = this.#database.prepare(sql)
    if (statement.reader) return Promise.resolve({ rows: statement.all(parameters) as Row[] })
    const { changes, lastInsertRowid } = statement.run(parameters)
    const [numAffectedRows, insertId] = [BigInt(changes), BigInt(lastInsertRowid)]
    return Promise.resolve({ numAffectedRows, insertId, rows: [] })
  }

  streamQuery(): never {
    throw new Error('rows are read in pages')
  }

  /** Reads rows as arrays and names their fields here, in half the time of the driver. */
  rowsOf(sql: string, parameters: readonly unknown[]): readonly unknown[] {
    const { statement, columns } = this.#reader(sql)
    // Such a statement answers rows as lists.
    const rows = statement.all(...parameters.map(this.#bind)) as readonly (readonly unknown[])[]
    return rows.map((values) => {
      const row: Record<string, unknown> = {}
      for (let at = 0; at < columns.length; at += 1) row[columns[at] ?? ''] = values[at]
      return row
    })
  }

  /** Runs a statement that returns no rows; returns the number of changed rows. */
  changesOf(sql: string, parameters: readonly unknown[]): number {
    let statement = this.#writers.get(sql)
    if (statement === undefined) {
      statement = this.#connection.prepare(sql)
      this.#writers.set(sql, statement)
    }
    return statement.run(...parameters.map(this.#bind)).changes
  }

  close(): void {
    this.#database.close()
  }

  #reader(sql: string): Prepared {
    const known = this.#readers.get(sql)
    if (known !== undefined) return known
    const statement = this.#connection.prepare(sql).raw()
    const made = { statement, columns: statement.columns().map(({ name }) => name) }
    this.#readers.set(sql, made)
    return made
  }
}

/**
 * Prepares each statement once, since the query builder hands over the same few again and again.
 */
export function withStatementCache(database: SqliteDatabase): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>()
  return {
    close: () => {
      statements.clear()
      database.close()
    },
    prepare: (sql) => {
      const known = statements.get(sql)
      if (known !== undefined) return known
      const statement = database.prepare(sql)
      if (sql.length <= MAX_SQL_CHARS) {
        if (statements.size >= MAX_STATEMENTS) statements.clear()
        statements.set(sql, statement)
      }
      return statement
    },
  }
}

/** Makes a connection fit for the query builder. */
function sqliteConnection(connection: Sqlite.Database, bind: Bind): SqliteDatabase {
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
