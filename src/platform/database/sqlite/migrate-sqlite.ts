import type Sqlite from 'better-sqlite3'
import type { Migration } from '../migration.js'
import { pendingMigrations, SchemaMismatchError } from '../pending-migrations.js'
import { sqliteDdl } from './sqlite-ddl.js'

/**
 * Brings the file up to date: it runs each migration that the file does not have yet, in order, in
 * one transaction. Throws a `SchemaMismatchError` when these migrations did not make the file.
 */
export function migrateSqlite(connection: Sqlite.Database, migrations: readonly Migration[]): void {
  connection
    .transaction(() => {
      const pending = pendingMigrations(migrations, appliedTo(connection), connection.name)
      const remember = connection.prepare('insert into schema_migrations (name) values (?)')
      for (const { name, statements } of pending) {
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
