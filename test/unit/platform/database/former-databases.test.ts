import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../../src/platform/database/database.js'
import { openDatabase } from '../../../../src/platform/database/open-database.js'
import { MIGRATIONS } from '../../../../src/wiring/migrations.js'
import { tablesOf } from '../../../support/process/fill-tables.js'
import { connected } from '../../../support/process/postgres-test-database.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { ENGINE, testDatabase } from '../../../support/process/test-database.js'

/**
 * Databases that the last build with columns such as `account_sid` wrote: three rows in each table, as
 * `fillTables` makes them, on PostgreSQL by `trunkline database move` and `pg_dump --inserts`.
 */
const FORMER = join(import.meta.dirname, '../../../fixtures/former-databases')
const unpacked = (name: string): Buffer => gunzipSync(readFileSync(join(FORMER, name)))

type Row = Readonly<Record<string, unknown>>
type Rows = ReadonlyMap<string, readonly Row[]>

/** The name of a column of then now. */
const renamed = (column: string): string =>
  column
    .split('_')
    .map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')

async function formerDatabase(folder: string): Promise<string> {
  const place = await testDatabase(folder, 'empty')
  if (ENGINE === 'sqlite') {
    writeFileSync(place, unpacked('sqlite.db.gz'))
    return place
  }
  const client = await connected(place)
  await client.query(unpacked('postgres.sql.gz').toString())
  await client.end()
  return place
}

/** The rows of every table, each list sorted by the text of its rows. */
async function rowsAt(place: string): Promise<Rows> {
  const sorted = (rows: readonly Row[]): readonly Row[] =>
    rows.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
  const textOf = (row: Row): string =>
    JSON.stringify(Object.values(row), (_, value) => String(value))
  if (ENGINE === 'sqlite') {
    const db = new Sqlite(place, { readonly: true })
    db.defaultSafeIntegers(true)
    const found = tablesOf(db).map((table) => {
      const rows = db.prepare<[], Row>(`select * from "${table}"`).all()
      return [table, sorted(rows)] as const
    })
    db.close()
    return new Map(found)
  }
  const client = await connected(place)
  const tables = await client.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_name <> 'schema_migrations' order by 1`,
  )
  const found = new Map<string, readonly Row[]>()
  for (const { name } of tables.rows) {
    const { rows } = await client.query<Row>(`select * from public."${name}"`)
    found.set(name, sorted(rows))
  }
  await client.end()
  return found
}

async function open<Result>(place: string, work: (db: Database) => Promise<Result>) {
  await using db = await openDatabase(place, MIGRATIONS)
  return await work(db)
}

describe('a database whose columns had words with underscores', () => {
  const folder = tempFolder()
  let place: string
  let before: Rows
  beforeAll(async () => {
    place = await formerDatabase(folder.path)
    before = await rowsAt(place)
    await open(place, () => Promise.resolve())
  })
  afterAll(() => {
    folder[Symbol.dispose]()
  })

  it('has every row of every table, by the names that a new one has', async () => {
    const after = await rowsAt(place)
    const expected = [...before].map(([table, rows]) => {
      expect(rows.length, table).toBeGreaterThan(0)
      return [
        table,
        rows.map((row) => Object.fromEntries(Object.entries(row).map(([c, v]) => [renamed(c), v]))),
      ]
    })
    // Later migrations add tables and columns; none of the former ones may be missing or changed.
    expect([...after].filter(([table]) => before.has(table))).toMatchObject(expected)
    const columns = [...after.values()].flatMap((rows) => Object.keys(rows[0] ?? {}))
    expect(columns.filter((column) => column.includes('_'))).toEqual([])
  })

  it('keeps the counts and the search of its rows', async () => {
    await open(place, async (db) => {
      const [call] = await db.read.selectFrom('calls').select(['sid', 'accountSid']).execute()
      const counted = () =>
        db.read
          .selectFrom('call_counts')
          .select('calls')
          .where('accountSid', '=', call?.accountSid ?? '')
          .executeTakeFirstOrThrow()
      const { calls } = await counted()
      await db.write(async (tx) => {
        await tx
          .deleteFrom('calls')
          .where('sid', '=', call?.sid ?? '')
          .execute()
      })
      expect((await counted()).calls).toBe(calls - 1)
      await db.write((tx) =>
        tx.updateTable('registry_brands').set({ displayKey: 'a new name' }).execute(),
      )
      await db.write((tx) => sql`delete from phone_number_inventory`.execute(tx))
    })
  })
})
