import { InvariantError } from '../errors.js'
import type { Migration } from './migration.js'

/** The database has a schema that this version cannot upgrade; the message says what to do. */
export class SchemaMismatchError extends Error {
  override readonly name = 'SchemaMismatchError'
}

/**
 * Returns the migrations that a database lacks, in order. Throws a `SchemaMismatchError` when it has unknown
 * ones. `database` names it in the message.
 */
export function pendingMigrations(
  migrations: readonly Migration[],
  applied: ReadonlySet<string>,
  database: string,
): readonly Migration[] {
  checkOrder(migrations)
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = [...applied].filter((name) => !known.has(name))
  if (unknown.length > 0)
    throw new SchemaMismatchError(
      `${database} was written by a newer trunkline (its schema has ${unknown.join(', ')}, ` +
        'which this version does not know): start that version again, or restore a backup ' +
        'from before the upgrade',
    )
  return migrations.filter(({ name }) => !applied.has(name))
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
