import type { SqliteDatabase, SqliteStatement } from 'kysely'

/**
 * The longest statement that is cached: longer ones are batches, each of its own length, and rarely
 * come again.
 */
const MAX_SQL_CHARS = 4_000
const MAX_STATEMENTS = 500

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
