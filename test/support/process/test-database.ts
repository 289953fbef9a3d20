import { createHash } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'

/** The engine that the tests of this project run on. */
export const ENGINE = process.env['TEST_DATABASE'] === 'postgres' ? 'postgres' : 'sqlite'

const made = new Map<string, Promise<string>>()

/**
 * The place of a test's database on the engine of its project: a file in the folder, or the URL of a
 * database of the run's PostgreSQL server. One folder has one database.
 */
export async function testDatabase(folder: string): Promise<string> {
  if (ENGINE === 'sqlite') return join(folder, 'test.db')
  const name = `test_${createHash('sha256').update(folder).digest('hex').slice(0, 20)}`
  const known = made.get(name) ?? createDatabase(name)
  made.set(name, known)
  return known
}

/** The setting that a server needs to keep its data on the engine of the test's project. */
export async function databaseSetting(folder: string): Promise<Readonly<Record<string, string>>> {
  return ENGINE === 'sqlite' ? {} : { DATABASE_URL: await testDatabase(folder) }
}

/** Drops the databases that this file's tests made so far, whoever is connected. */
export async function dropTestDatabases(): Promise<void> {
  const names = [...made.keys()]
  made.clear()
  for (const name of names) await onServer(`drop database if exists ${name} with (force)`)
}

async function createDatabase(name: string): Promise<string> {
  await onServer(`create database ${name}`)
  const url = new URL(serverUrl())
  url.pathname = name
  return url.href
}

/** Each statement has a connection of its own: neither of these may run in a transaction. */
async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl() })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function serverUrl(): string {
  const server = inject('postgres')
  if ('reason' in server) throw new Error(`these tests need PostgreSQL: ${server.reason}`)
  return server.url
}
