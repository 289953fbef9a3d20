import BetterSqlite3 from 'better-sqlite3'
import { Kysely, type LogEvent, SqliteDialect } from 'kysely'
import type { Reader } from '../../../src/platform/database/database.js'
import { openDatabase } from '../../../src/platform/database/open-database.js'
import type { Tables } from '../../../src/platform/database/tables.js'
import { MIGRATIONS } from '../../../src/wiring/migrations.js'
import { tempFolder } from './temp-folder.js'

interface Query {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** An SQLite database that records its queries, for tests of their plans. */
export interface NotedDatabase extends AsyncDisposable {
  readonly connection: BetterSqlite3.Database
  readonly reader: Reader
  /** Queries since the last `forget`. */
  readonly queries: readonly Query[]
  forget(): void
  /** SQLite's plan of each query, one line per step. */
  plans(): string[]
}

export async function openNotedDatabase(): Promise<NotedDatabase> {
  const folder = tempFolder()
  const file = `${folder.path}/test.db`
  await (await openDatabase(file, MIGRATIONS))[Symbol.asyncDispose]()
  const connection = new BetterSqlite3(file)
  const queries: Query[] = []
  const log = ({ level, query }: LogEvent): void => {
    if (level === 'query') queries.push(query)
  }
  const reader = new Kysely<Tables>({ dialect: new SqliteDialect({ database: connection }), log })
  return {
    connection,
    reader,
    queries,
    forget: () => {
      queries.length = 0
    },
    plans: () =>
      queries.flatMap(({ sql, parameters }) => {
        const steps = connection.prepare(`explain query plan ${sql}`).all(...parameters)
        return (steps as { detail: string }[]).map(({ detail }) => detail) // SQLite's own columns
      }),
    [Symbol.asyncDispose]: async () => {
      await reader.destroy()
      folder[Symbol.dispose]()
    },
  }
}
