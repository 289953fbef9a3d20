import { createHash } from 'node:crypto'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'

/** The engine that the tests of this project run on. */
export const ENGINE = process.env['TEST_DATABASE'] === 'postgres' ? 'postgres' : 'sqlite'

interface MadeDatabase {
  readonly name: string
  readonly url: string
  /** False for one that was made empty: what its test has made of it is of no use to others. */
  readonly hasTables: boolean
}

/** The databases that this file's tests have, by the folder of the test. */
const made = new Map<string, Promise<MadeDatabase>>()
/** The folders of `made` that were there once: a server makes its own only when it starts. */
const seen = new Set<string>()
/** A connection to the run's server, from the first database to the last. */
let server: Promise<pg.Client> | undefined

/**
 * The place of a test's database on the engine of its project: a file in the folder, or the URL of a
 * database of the run's PostgreSQL server. One folder has one database, for as long as it exists. It
 * has every table already unless it is to be `empty`.
 */
export async function testDatabase(
  folder: string,
  content: 'migrated' | 'empty' = 'migrated',
): Promise<string> {
  if (ENGINE === 'sqlite') return sqliteFile(folder, content)
  if (content === 'migrated') await giveBack(isRemoved)
  const database = made.get(folder) ?? databaseFor(folder, content)
  made.set(folder, database)
  return (await database).url
}

function sqliteFile(folder: string, content: 'migrated' | 'empty'): string {
  const file = join(folder, 'test.db')
  // The long tests have no template: their databases are made by what opens them.
  const template = inject('sqliteTemplate') as string | undefined
  if (content === 'migrated' && template !== undefined && !existsSync(file))
    copyFileSync(template, file)
  return file
}

/** The setting that a server needs to keep its data on the engine of the test's project. */
export async function databaseSetting(folder: string): Promise<Readonly<Record<string, string>>> {
  return ENGINE === 'sqlite' ? {} : { DATABASE_URL: await testDatabase(folder) }
}

/** Gives every database of this file's tests to those of other files; there will be no more. */
export async function giveBackDatabases(): Promise<void> {
  if (server === undefined) return
  await giveBack(() => true)
  const client = await server
  // The next file of this process connects again.
  server = undefined
  await client.end()
}

/** True when the test of this folder is over: there was a folder, and there is none. */
function isRemoved(folder: string): boolean {
  if (!existsSync(folder)) return seen.has(folder)
  seen.add(folder)
  return false
}

async function giveBack(isOver: (folder: string) => boolean): Promise<void> {
  for (const [folder, database] of [...made].filter(([owner]) => isOver(owner))) {
    made.delete(folder)
    const { name, hasTables } = await database
    if (!hasTables) continue
    await (await server)?.query('insert into free_databases (name) values ($1)', [name])
  }
}

/** Another test's database without its rows is had sooner than a new one. */
async function databaseFor(folder: string, content: 'migrated' | 'empty'): Promise<MadeDatabase> {
  const { url, template } = runServer()
  server ??= connected(url)
  const client = await server
  const named = (name: string) => {
    const place = new URL(url)
    place.pathname = name
    return { name, url: place.href, hasTables: content === 'migrated' }
  }
  if (content === 'migrated') {
    const { rows } = await client.query<{ name: string }>(TAKE_FREE)
    const [free] = rows
    if (free !== undefined) {
      await client.query(END_CONNECTIONS, [free.name])
      const database = named(free.name)
      await emptied(database.url)
      return database
    }
  }
  const name = `test_${createHash('sha256').update(folder).digest('hex').slice(0, 20)}`
  await client.query(
    `create database ${name} template ${content === 'empty' ? 'template1' : template}`,
  )
  return named(name)
}

const TAKE_FREE = `delete from free_databases
  where name = (select name from free_databases limit 1 for update skip locked) returning name`
/** Waits until they are gone: a commit that is under way would come after the rows were deleted. */
const END_CONNECTIONS =
  'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1'

/** Triggers do not run: they would count each row that goes. */
const EMPTY_TABLES = `do $$
declare
  each record;
  has_rows boolean;
begin
  perform set_config('session_replication_role', 'replica', true);
  for each in select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname = 'public' and tablename <> 'schema_migrations' loop
    execute 'select exists (select 1 from ' || each.name || ')' into has_rows;
    if has_rows then execute 'delete from ' || each.name; end if;
  end loop;
  for each in select format('%I.%I', schemaname, sequencename) as name from pg_sequences
      where schemaname = 'public' and last_value is not null loop
    execute 'alter sequence ' || each.name || ' restart';
  end loop;
end $$`

async function emptied(url: string): Promise<void> {
  const client = await connected(url)
  try {
    await client.query(EMPTY_TABLES)
  } finally {
    await client.end()
  }
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

function runServer() {
  const known = inject('postgres')
  if ('reason' in known) throw new Error(`these tests need PostgreSQL: ${known.reason}`)
  return known
}
