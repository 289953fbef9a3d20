import { join } from 'node:path'
import pg from 'pg'
import { fillTable, type Row } from './fill-sqlite-table.js'
import { ENGINE, testDatabase } from './test-database.js'
import type { RunningTrunkline } from './trunkline.js'

/** Rows per statement: PostgreSQL allows at most 65,535 parameters. */
const ROWS_AT_ONCE = 1_000

/** Stores rows in a table of a running server's database, on the test project's engine. */
export async function fillRows(
  { folder }: RunningTrunkline,
  table: string,
  rows: Iterable<Row>,
): Promise<void> {
  const dataDir = join(folder, 'data')
  if (ENGINE === 'sqlite') {
    fillTable(join(dataDir, 'trunkline.db'), table, rows)
    return
  }
  const client = new pg.Client({ connectionString: await testDatabase(dataDir) })
  await client.connect()
  try {
    for (const some of batches(rows)) await insert(client, table, some)
  } finally {
    await client.end()
  }
}

function* batches(rows: Iterable<Row>): Generator<readonly Row[]> {
  let batch: Row[] = []
  for (const row of rows) {
    batch.push(row)
    if (batch.length < ROWS_AT_ONCE) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

async function insert(client: pg.Client, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  const places = rows.map(
    (_, row) => `(${columns.map((_, at) => `$${row * columns.length + at + 1}`).join(', ')})`,
  )
  const names = columns.map((column) => `"${column}"`).join(', ')
  await client.query(
    `insert into ${table} (${names}) values ${places.join(', ')}`,
    rows.flatMap((row) => columns.map((column) => row[column])),
  )
}
