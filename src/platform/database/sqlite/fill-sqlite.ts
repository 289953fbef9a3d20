import Sqlite from 'better-sqlite3'
import { countsFilled, type Filling } from '../filling.js'

/** The rows of one transaction; in the pause after it, a server that uses the file can write. */
const ROWS_PER_COMMIT = 20_000
const PAUSE_MS = 5

interface Made {
  readonly type: 'index' | 'trigger'
  readonly name: string
  readonly sql: string
}

/** Fills a table beside a server that has the file open. It blocks the thread. */
export function fillSqlite(file: string, { table, rows, counts }: Filling): void {
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
    insertAll(connection, table, rows)
    for (const { type, sql } of made) if (type === 'index') connection.exec(sql)
    for (const each of counts) connection.exec(countsFilled(each.table, each))
    for (const { type, sql } of made) if (type === 'trigger') connection.exec(sql)
  } finally {
    connection.close()
  }
}

function insertAll(connection: Sqlite.Database, table: string, rows: Filling['rows']): void {
  const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const source = rows[Symbol.iterator]()
  let insert: Sqlite.Statement | undefined
  const insertSome = connection.transaction((): boolean => {
    for (let count = 0; count < ROWS_PER_COMMIT; count += 1) {
      const next = source.next()
      if (next.done === true) return false
      const columns = Object.keys(next.value)
      insert ??= connection.prepare(
        `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
      )
      insert.run(Object.values(next.value))
    }
    return true
  })
  while (insertSome()) Atomics.wait(pause, 0, 0, PAUSE_MS)
}
