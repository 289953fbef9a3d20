import Sqlite from 'better-sqlite3'
import { systemClock as clock } from '../../src/platform/clock.js'

/** A row about as long as a stored call. */
const ROW = 'x'.repeat(600)
const CHECK_EVERY = 16

/**
 * Measures how many single-row commits a second this disk makes durable, one after the other: a
 * limit for writes that do not share commits. Blocks for `ms`; leaves `file` behind.
 */
export function measureCommitRate(file: string, ms: number): number {
  const connection = new Sqlite(file)
  try {
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = FULL')
    connection.exec('create table commits (id integer primary key, content text not null)')
    const insert = connection.prepare('insert into commits (content) values (?)')
    const startedAt = clock.monotonic()
    let count = 0
    while (count % CHECK_EVERY !== 0 || clock.monotonic() - startedAt < ms) {
      insert.run(ROW)
      count += 1
    }
    return count / ((clock.monotonic() - startedAt) / 1_000)
  } finally {
    connection.close()
  }
}
