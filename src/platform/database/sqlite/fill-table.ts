import Sqlite from 'better-sqlite3'

/** The rows of one transaction; in the pause after it, a server that uses the file can write. */
const ROWS_PER_COMMIT = 2_000
const PAUSE_MS = 10

export type CellValue = string | number | null

/**
 * Stores many rows in a table, beside a server that has the file open. The rows are not durable,
 * and the thread is blocked: for benchmarks.
 */
export function fillTable(
  file: string,
  table: string,
  rows: Iterable<Readonly<Record<string, CellValue>>>,
): void {
  const connection = new Sqlite(file)
  try {
    connection.pragma('busy_timeout = 10000')
    connection.pragma('synchronous = NORMAL')
    connection.pragma('cache_size = -200000')
    const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const source = rows[Symbol.iterator]()
    let insert: Sqlite.Statement | undefined
    const insertSome = connection.transaction((): boolean => {
      for (let count = 0; count < ROWS_PER_COMMIT; count++) {
        const next = source.next()
        if (next.done === true) return false
        insert ??= connection.prepare(insertInto(table, Object.keys(next.value)))
        insert.run(next.value)
      }
      return true
    })
    while (insertSome()) Atomics.wait(pause, 0, 0, PAUSE_MS)
  } finally {
    connection.close()
  }
}

function insertInto(table: string, columns: readonly string[]): string {
  const values = columns.map((column) => `@${column}`).join(', ')
  return `insert into ${table} (${columns.join(', ')}) values (${values})`
}
