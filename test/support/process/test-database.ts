import { createHash } from 'node:crypto'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { inject } from 'vitest'
import type { Database } from '../../../src/platform/database/database.js'
import { openDatabase } from '../../../src/platform/database/open-database.js'
import { MIGRATIONS } from '../../../src/wiring/migrations.js'
import { connected, PostgresTestDatabase } from './postgres-test-database.js'

/** Database engine of this test project. */
export const ENGINE = process.env['TEST_DATABASE'] === 'postgres' ? 'postgres' : 'sqlite'

interface MadeDatabase {
  readonly database: PostgresTestDatabase
  /** False for a database created empty: its test may have changed the tables, so it is not reused. */
  readonly hasTables: boolean
}

/** Databases of this file's tests, by test folder. */
const made = new Map<string, Promise<MadeDatabase>>()
/** Folders of `made` that existed at some time: a server creates its folder only when it starts. */
const seen = new Set<string>()
/** Databases of this file's finished tests. */
const free: PostgresTestDatabase[] = []
/** Connection to the run's server, from the first database to the last. */
let server: Promise<pg.Client> | undefined

/**
 * Location of a test's database on the project's engine: a file in the folder, or the URL of a database on the
 * run's PostgreSQL server. A folder has one database while it exists. It has all tables, unless `content` is
 * `empty`.
 */
export async function testDatabase(
  folder: string,
  content: 'migrated' | 'empty' = 'migrated',
): Promise<string> {
  if (ENGINE === 'sqlite') return sqliteFile(folder, content)
  return (await databaseOf(folder, content)).url
}

/**
 * Opens a test's database with all tables. On PostgreSQL it reuses connections of earlier tests: a test of
 * connections themselves must open its own.
 */
export async function openTestDatabase(folder: string, node = 'local'): Promise<Database> {
  if (ENGINE === 'sqlite')
    return await openDatabase(sqliteFile(folder, 'migrated'), MIGRATIONS, node)
  return await (await databaseOf(folder, 'migrated')).open(node)
}

function sqliteFile(folder: string, content: 'migrated' | 'empty'): string {
  const file = join(folder, 'test.db')
  // Long tests have no template: the tests' servers create the databases.
  const template = inject('sqliteTemplate') as string | undefined
  if (content === 'migrated' && template !== undefined && !existsSync(file))
    copyFileSync(template, file)
  return file
}

/** Settings that make a server use the project's database engine. */
export async function databaseSetting(folder: string): Promise<Readonly<Record<string, string>>> {
  return ENGINE === 'sqlite' ? {} : { DATABASE_URL: await testDatabase(folder) }
}

/** Releases all databases of this file's tests to other files. Must be called last. */
export async function giveBackDatabases(): Promise<void> {
  if (server === undefined) return
  await giveBack(() => true)
  const client = await server
  for (const database of free.splice(0)) {
    await database.close()
    await client.query('insert into free_databases (name) values ($1)', [database.name])
  }
  // The next file of this process connects again.
  server = undefined
  await client.end()
}

async function databaseOf(
  folder: string,
  content: 'migrated' | 'empty',
): Promise<PostgresTestDatabase> {
  if (content === 'migrated') await giveBack(isRemoved)
  const database = made.get(folder) ?? databaseFor(folder, content)
  made.set(folder, database)
  isRemoved(folder)
  return (await database).database
}

/** True when the folder existed and was removed: its test is over. */
function isRemoved(folder: string): boolean {
  if (!existsSync(folder)) return seen.has(folder)
  seen.add(folder)
  return false
}

async function giveBack(isOver: (folder: string) => boolean): Promise<void> {
  for (const [folder, owned] of [...made].filter(([owner]) => isOver(owner))) {
    made.delete(folder)
    const { database, hasTables } = await owned
    if (hasTables) free.push(database)
    else await database.close()
  }
}

/** Reusing another test's database without its rows is faster than creating one. */
async function databaseFor(folder: string, content: 'migrated' | 'empty'): Promise<MadeDatabase> {
  const hasTables = content === 'migrated'
  const used = hasTables ? (free.pop() ?? (await takenOver())) : undefined
  if (used === undefined) return { database: await created(folder, content), hasTables }
  await used.clear()
  return { database: used, hasTables }
}

/** A free database of another test file; undefined when there is none. */
async function takenOver(): Promise<PostgresTestDatabase | undefined> {
  const { rows } = await (await serverConnection()).query<{ name: string }>(TAKE_FREE)
  return rows[0] && databaseNamed(rows[0].name)
}

const TAKE_FREE = `delete from free_databases
  where name = (select name from free_databases limit 1 for update skip locked) returning name`

async function created(
  folder: string,
  content: 'migrated' | 'empty',
): Promise<PostgresTestDatabase> {
  const client = await serverConnection()
  const name = `test_${createHash('sha256').update(folder).digest('hex').slice(0, 20)}`
  const template = content === 'empty' ? 'template1' : runServer().template
  await client.query(`create database ${name} template ${template}`)
  return databaseNamed(name)
}

function databaseNamed(name: string): PostgresTestDatabase {
  const place = new URL(runServer().url)
  place.pathname = name
  return new PostgresTestDatabase(name, place.href)
}

async function serverConnection(): Promise<pg.Client> {
  server ??= connected(runServer().url)
  return await server
}

function runServer() {
  const known = inject('postgres')
  if ('reason' in known) throw new Error(`these tests need PostgreSQL: ${known.reason}`)
  return known
}
