/**
 * Stores millions of rows in a table of a server's database, for benchmarks: without its indexes and
 * triggers, which are made again when the rows are there.
 */
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { slotsName } from '../../src/platform/database/postgres/postgres-ddl.js'
import { insertRows, type Row } from '../support/process/fill-sqlite-table.js'

const ROWS_PER_COMMIT = 20_000
const ROWS_PER_STATEMENT = 10_000

interface Filling {
  readonly table: string
  readonly rows: Iterable<Row>
  /** The tables of counts that the triggers of the table keep. */
  readonly counts: readonly FilledCounts[]
}

/** A table of counts, filled at once. */
interface FilledCounts {
  readonly table: string
  readonly columns: readonly string[]
  /** The query of its rows. */
  readonly rows: string
}

/** An index or a trigger, as SQLite lists it. */
interface Made {
  readonly type: 'index' | 'trigger'
  readonly name: string
  readonly sql: string
}

/** `place` is a file, or the URL of a PostgreSQL database. */
export async function fillAtOnce(place: string, filling: Filling): Promise<void> {
  if (/^postgres(ql)?:/.test(place)) await fillPostgres(place, filling)
  else fillSqlite(place, filling)
}

/** Fills a table beside a server that has the file open. It blocks the thread. */
function fillSqlite(file: string, { table, rows, counts }: Filling): void {
  const connection = new Sqlite(file)
  try {
    for (const pragma of ['busy_timeout = 60000', 'synchronous = OFF', 'cache_size = -400000'])
      connection.pragma(pragma)
    const made = connection
      .prepare<[string], Made>(
        `select type, name, sql from sqlite_master
         where tbl_name = ? and type in ('index', 'trigger') and sql is not null`,
      )
      .all(table)
    for (const { type, name } of made) connection.exec(`drop ${type} ${name}`)
    insertRows(connection, table, rows, ROWS_PER_COMMIT)
    for (const { type, sql } of made) if (type === 'index') connection.exec(sql)
    for (const each of counts) connection.exec(countsFilled(each.table, each))
    for (const { type, sql } of made) if (type === 'trigger') connection.exec(sql)
  } finally {
    connection.close()
  }
}

/** Fills a table of a database that a server uses; the user is a superuser, or owns the table. */
async function fillPostgres(url: string, { table, rows, counts }: Filling): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query("set synchronous_commit = off; set maintenance_work_mem = '512MB'")
    const { rows: indexes } = await client.query<{ name: string; sql: string }>(
      `select indexname as name, indexdef as sql from pg_indexes
       where schemaname = 'public' and tablename = $1 and indexname not in
         (select conname from pg_constraint where conrelid = $1::regclass)`,
      [table],
    )
    for (const { name } of indexes) await client.query(`drop index ${name}`)
    await client.query(`alter table ${table} disable trigger user`)
    for (const some of batchesOf(rows))
      await client.query(
        `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`,
        [JSON.stringify(some)],
      )
    for (const { sql } of indexes) await client.query(sql)
    for (const each of counts) await client.query(countsFilled(slotsName(each.table), each))
    await client.query(`alter table ${table} enable trigger user`)
    await client.query(`analyze ${table}`)
  } finally {
    await client.end()
  }
}

function* batchesOf(rows: Iterable<Row>): Generator<readonly Row[]> {
  let some: Row[] = []
  for (const row of rows) {
    some.push(row)
    if (some.length < ROWS_PER_STATEMENT) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}

/** Fills a table of counts anew; `table` is its name on the engine. */
function countsFilled(table: string, { columns, rows }: FilledCounts): string {
  return `delete from ${table}; insert into ${table} (${columns.join(', ')}) ${rows}`
}
