import pg from 'pg'
import { type CellValue, countsFilled, type Filling } from '../filling.js'
import { slotsName } from './postgres-ddl.js'

const ROWS_PER_STATEMENT = 10_000

/** Fills a table of a database that a server uses; the user is a superuser, or owns the table. */
export async function fillPostgres(url: string, { table, rows, counts }: Filling): Promise<void> {
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

function* batchesOf(
  rows: Filling['rows'],
): Generator<readonly Readonly<Record<string, CellValue>>[]> {
  let some: Readonly<Record<string, CellValue>>[] = []
  for (const row of rows) {
    some.push(row)
    if (some.length < ROWS_PER_STATEMENT) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}
