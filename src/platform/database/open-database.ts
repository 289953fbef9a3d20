import { binding, type SealUrl } from './at-rest.js'
import type { Database } from './database.js'
import { databaseOn } from './database-on-engine.js'
import type { Migration } from './migration.js'
import { type OnWait, openPostgres } from './postgres/open-postgres.js'
import { isPostgresUrl } from './postgres-url.js'
import { openSqlite } from './sqlite/open-sqlite.js'

/**
 * Opens the database at `place`, creates its tables or brings them up to date. The place is the path
 * of an SQLite file, which is created when there is none, or a `postgres://` URL. Rejects with a
 * `SchemaMismatchError` when these migrations did not make what is there, and with a
 * `DatabaseUnreachableError` when no server answers. `node` is the name of this process among those
 * that share the database. `seal` makes what is stored of a URL that may have a password.
 * `onWait` is called once when a PostgreSQL server lets the start wait.
 */
export async function openDatabase(
  place: string,
  migrations: readonly Migration[],
  node = 'local',
  seal: SealUrl = (text) => text,
  onWait?: OnWait,
): Promise<Database> {
  const bind = binding(seal)
  const engine = isPostgresUrl(place)
    ? await openPostgres(place, migrations, bind, onWait)
    : openSqlite(place, migrations, bind)
  return databaseOn(engine, node)
}
