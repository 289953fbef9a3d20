import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../../../src/platform/database/open-database.js'
import { MIGRATIONS } from '../../../src/wiring/migrations.js'
import { type PostgresServer, startPostgres } from './postgres-server.js'

/** The run's PostgreSQL server, or the reason for its absence. */
export type RunPostgres =
  | { readonly url: string; readonly template: string }
  | { readonly reason: string }

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgres: RunPostgres
  }
}

/** A database with all tables: copying it takes a tenth of the time of the migrations. */
const TEMPLATE = 'test_template'

/**
 * No flush at each commit, which matters only for a power cut: the tests kill processes. Enough connections for
 * a few servers and test files at once. No vacuum: there are many small tables.
 */
const SETTINGS = ['fsync=off', 'max_connections=200', 'autovacuum=off']

/** Starts one PostgreSQL server for the run if one of its projects needs it. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let server: PostgresServer | undefined
  if (project.vitest.projects.some(({ name }) => name.endsWith('-postgres'))) {
    try {
      server = await startPostgres(SETTINGS)
      await makeTemplate(server)
      project.provide('postgres', { url: server.url('postgres'), template: TEMPLATE })
    } catch (error) {
      project.provide('postgres', {
        reason: error instanceof Error ? error.message : String(error),
      })
    }
  }
  return async () => {
    await server?.[Symbol.asyncDispose]()
  }
}

async function makeTemplate(server: PostgresServer): Promise<void> {
  const client = new pg.Client({ connectionString: server.url('postgres') })
  await client.connect()
  try {
    await client.query(`create database ${TEMPLATE}`)
    // Databases of finished tests, for reuse.
    await client.query('create table free_databases (name text primary key)')
  } finally {
    await client.end()
  }
  const database = await openDatabase(server.url(TEMPLATE), MIGRATIONS)
  await database[Symbol.asyncDispose]()
}
