import pg from 'pg'
import type { Migration } from '../migration.js'
import { pendingMigrations, SchemaMismatchError } from '../pending-migrations.js'
import { describePostgres, type PostgresSettings } from '../postgres-url.js'
import { connectionOptions } from './checked-pool.js'
import { postgresDdl, withByteOrder } from './postgres-ddl.js'
import { MOVE_PROGRESS } from './unfinished-move.js'

/** Advisory lock that one of several starting nodes holds while it migrates: "trunk" in hexadecimal. */
const LOCK = 0x7472756e6b
/** Time limit for another node's migrations, ms. */
const LIMIT_MS = 600_000

/**
 * Runs each migration that the database lacks, in order, in one transaction. Nodes that start at once do so one
 * after the other. Rejects with a `SchemaMismatchError` when other migrations made the database.
 */
export async function migratePostgres(
  settings: PostgresSettings,
  migrations: readonly Migration[],
): Promise<void> {
  const client = new pg.Client({
    ...connectionOptions(settings),
    statement_timeout: LIMIT_MS,
    lock_timeout: LIMIT_MS,
    query_timeout: LIMIT_MS,
    idle_in_transaction_session_timeout: LIMIT_MS,
  })
  // The failure reaches the query that waits; without a listener it would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    // Each statement sees what was committed before it, so what a node before this one did.
    await client.query('begin isolation level read committed')
    await client.query('select pg_advisory_xact_lock($1)', [LOCK])
    const applied = await appliedTo(client, settings)
    for (const { name, statements } of pendingMigrations(
      migrations,
      applied,
      describePostgres(settings),
    )) {
      await client.query(withByteOrder(statements(postgresDdl)))
      await client.query('insert into schema_migrations (name) values ($1)', [name])
    }
    await client.query('commit')
  } finally {
    await client.end()
  }
}

async function appliedTo(
  client: pg.Client,
  settings: PostgresSettings,
): Promise<ReadonlySet<string>> {
  const tables = await namesIn(
    client,
    'select table_name as name from information_schema.tables where table_schema = current_schema()',
  )
  if (tables.has(MOVE_PROGRESS))
    throw new SchemaMismatchError(
      `${describePostgres(settings)} has a part of a database that is being moved into it: run ` +
        '`trunkline database move` again, which goes on where it was',
    )
  if (tables.has('schema_migrations'))
    return await namesIn(client, 'select name from schema_migrations')
  if (tables.size > 0)
    throw new SchemaMismatchError(
      `${describePostgres(settings)} has tables that trunkline did not make: give it an empty ` +
        'database of its own (DATABASE_URL)',
    )
  await client.query(
    withByteOrder('create table schema_migrations (\nname text primary key not null\n)'),
  )
  return new Set()
}

async function namesIn(client: pg.Client, query: string): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(query)
  return new Set(rows.map(({ name }) => name))
}
