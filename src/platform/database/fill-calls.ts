import Sqlite from 'better-sqlite3'

/** Rows of one transaction, and the pause after it: the server, which writes beside us, gets its turn. */
const ROWS_PER_COMMIT = 2_000
const PAUSE_MS = 10
const SECOND_MS = 1_000
const PLAN = JSON.stringify({
  document: { type: 'url', url: 'http://app.test/voice', method: 'POST', fallbackMethod: 'POST' },
  timeoutSeconds: 60,
})

export interface FilledCalls {
  readonly accountSid: string
  /** The first call's number in the row; its sid and all else follow from it. */
  readonly from: number
  readonly until: number
  /** Epoch milliseconds of call 0; each one is a second after the one before. */
  readonly startAt: number
}

export const filledSid = (index: number): string => `CA${index.toString(16).padStart(32, '0')}`

/** One in ten calls goes to the same number, one in twenty is not completed: a page of each of a thousand. */
export const filledTo = (index: number): string => `+1555${String(index % 10).padStart(7, '0')}`

/** Stores ended calls, as many as asked, beside a server that has `file` open. Blocks meanwhile. */
export function fillCalls(file: string, calls: FilledCalls): void {
  const connection = new Sqlite(file)
  try {
    connection.pragma('busy_timeout = 10000')
    connection.pragma('synchronous = NORMAL')
    connection.pragma('cache_size = -200000')
    const insert = connection.prepare(`insert into calls (sid, account_sid, direction, to_address,
      from_address, status, started_at, answered_at, ended_at, duration_seconds, queue_ms,
      sip_status, plan, callback_count, created_at, updated_at)
      values (?, ?, 'outbound-api', ?, ?, ?, ?, ?, ?, 30, 0, 200, ?, 0, ?, ?)`)
    const insertMany = connection.transaction((first: number, last: number) => {
      for (let index = first; index < last; index++) {
        const at = calls.startAt + index * SECOND_MS
        insert.run(
          ...[filledSid(index), calls.accountSid, filledTo(index), '+15550009999'],
          ...[index % 20 === 0 ? 'busy' : 'completed', at, at + 2_000, at + 32_000, PLAN],
          ...[at, at + 32_000],
        )
      }
    })
    const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    for (let first = calls.from; first < calls.until; first += ROWS_PER_COMMIT) {
      insertMany(first, Math.min(first + ROWS_PER_COMMIT, calls.until))
      Atomics.wait(pause, 0, 0, PAUSE_MS)
    }
  } finally {
    connection.close()
  }
}
