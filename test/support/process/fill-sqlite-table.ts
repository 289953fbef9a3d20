import Sqlite from 'better-sqlite3'

const ROWS_PER_COMMIT = 2_000
const PAUSE_MS = 10

export type Row = Readonly<Record<string, string | number | null>>

/**
 * Stores many rows in a table while a server has the file open. The rows are not durable and the thread is
 * blocked: for benchmarks.
 */
export function fillTable(file: string, table: string, rows: Iterable<Row>): void {
  const connection = new Sqlite(file)
  try {
    connection.pragma('busy_timeout = 10000')
    connection.pragma('synchronous = NORMAL')
    connection.pragma('cache_size = -200000')
    insertRows(connection, table, rows, ROWS_PER_COMMIT)
  } finally {
    connection.close()
  }
}

/** Inserts rows with identical columns. Pauses after each commit, so that a server can write. */
export function insertRows(
  connection: Sqlite.Database,
  table: string,
  rows: Iterable<Row>,
  rowsPerCommit: number,
): void {
  const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const source = rows[Symbol.iterator]()
  let insert: Sqlite.Statement | undefined
  const insertSome = connection.transaction((): boolean => {
    for (let count = 0; count < rowsPerCommit; count += 1) {
      const next = source.next()
      if (next.done === true) return false
      insert ??= connection.prepare(insertInto(table, Object.keys(next.value)))
      insert.run(next.value)
    }
    return true
  })
  while (insertSome()) Atomics.wait(pause, 0, 0, PAUSE_MS)
}

function insertInto(table: string, columns: readonly string[]): string {
  const values = columns.map((column) => `@${column}`).join(', ')
  return `insert into ${table} (${columns.join(', ')}) values (${values})`
}
