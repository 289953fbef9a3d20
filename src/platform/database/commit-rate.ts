import Sqlite from 'better-sqlite3'

/** A row of about the size of a stored call. */
const ROW = 'x'.repeat(600)
const CHECK_EVERY = 16

/**
 * Single-row commits a second that this disk makes durable, one after the other: what writes cannot
 * beat without sharing a commit. Blocks for `ms`; `file` is left behind.
 */
export function measureCommitRate(file: string, ms: number): number {
  const connection = new Sqlite(file)
  try {
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = FULL')
    connection.exec('create table commits (id integer primary key, content text not null)')
    const insert = connection.prepare('insert into commits (content) values (?)')
    const startedAt = performance.now()
    let count = 0
    while (count % CHECK_EVERY !== 0 || performance.now() - startedAt < ms) {
      insert.run(ROW)
      count += 1
    }
    return count / ((performance.now() - startedAt) / 1_000)
  } finally {
    connection.close()
  }
}
