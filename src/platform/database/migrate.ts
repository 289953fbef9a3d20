import type Sqlite from 'better-sqlite3'
import { InvariantError } from '../errors.js'
import type { Migration } from './migration.js'
import { sqliteDdl } from './sqlite-ddl.js'

/** The file holds a schema that this version cannot bring up to date; the message says what to do. */
export class SchemaMismatchError extends Error {
  override readonly name = 'SchemaMismatchError'
}

/**
 * Brings the database up to date: it runs each migration that the database does not have yet, in
 * order, in one transaction. Throws a `SchemaMismatchError` when these migrations did not make the
 * database.
 */
export function migrate(connection: Sqlite.Database, migrations: readonly Migration[]): void {
  checkOrder(migrations)
  connection
    .transaction(() => {
      const applied = appliedTo(connection)
      const known = new Set(migrations.map(({ name }) => name))
      const unknown = [...applied].filter((name) => !known.has(name))
      if (unknown.length > 0)
        throw new SchemaMismatchError(
          `${connection.name} was written by a newer trunkline (its schema has ${unknown.join(', ')}, ` +
            'which this version does not know): start that version again, or restore a backup ' +
            'from before the upgrade',
        )
      const remember = connection.prepare('insert into schema_migrations (name) values (?)')
      for (const { name, statements } of migrations) {
        if (applied.has(name)) continue
        connection.exec(statements(sqliteDdl))
        remember.run(name)
      }
    })
    .immediate()
}

function appliedTo(connection: Sqlite.Database): ReadonlySet<string> {
  const tables = namesIn(connection, "select name from sqlite_master where type = 'table'")
  if (tables.has('schema_migrations'))
    return namesIn(connection, 'select name from schema_migrations')
  if (tables.size > 0)
    throw new SchemaMismatchError(
      `${connection.name} was written by a build of trunkline from before its first release, whose ` +
        'data cannot be taken over: move the data folder (DATA_DIR) away and start with an empty one',
    )
  connection.exec('create table schema_migrations (name text primary key not null)')
  return new Set()
}

function namesIn(connection: Sqlite.Database, query: string): ReadonlySet<string> {
  return new Set(connection.prepare<[], string>(query).pluck().all())
}

function checkOrder(migrations: readonly Migration[]): void {
  const seen = new Set<string>()
  for (const { name, after = [] } of migrations) {
    if (seen.has(name)) throw new InvariantError(`two migrations are called ${name}`)
    for (const earlier of after)
      if (!seen.has(earlier.name))
        throw new InvariantError(`migration ${name} must come after ${earlier.name}`)
    seen.add(name)
  }
}
