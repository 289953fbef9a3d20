import { type Kysely, sql } from 'kysely'
import { pause } from '../../async/sleep.js'
import { systemClock } from '../../clock.js'
import { StorageUnavailableError } from '../storage-error.js'
import type { Tables } from '../tables.js'
import {
  isUnknownTransaction,
  type LostCommitError,
  type TransactionMark,
} from './postgres-errors.js'

/** Time to wait for a server that was lost during a commit, ms. */
const LIMIT_MS = 60_000
const EVERY_MS = 250

/** The first eight digits of a log file's name are its timeline. */
const TIMELINE = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)'

/** Reads the mark of the transaction in progress. */
export const TRANSACTION_MARK = `select pg_current_xact_id()::text as id, ${TIMELINE} as timeline`

/**
 * Finds out whether a transaction committed whose commit was sent; the server knows for at least some hundred
 * million later transactions. Rejects with a `StorageUnavailableError` when the server does not return in time;
 * the transaction may then be stored or not.
 */
export async function fateOf(
  writer: Kysely<Tables>,
  lost: LostCommitError,
): Promise<'committed' | 'aborted'> {
  const startedAt = systemClock.monotonic()
  for (;;) {
    const status = await statusOf(writer, lost.transaction)
    if (status === 'committed' || status === 'aborted') return status
    if (systemClock.monotonic() - startedAt > LIMIT_MS)
      throw new StorageUnavailableError('it is not known whether the write was stored', {
        cause: lost,
      })
    await pause(EVERY_MS)
  }
}

/** Resolves with the server's status of a transaction; undefined while it cannot tell. */
async function statusOf(
  writer: Kysely<Tables>,
  { id, timeline }: TransactionMark,
): Promise<string | undefined> {
  try {
    const { rows } = await sql<{ status: string | null; timeline: string }>`
      select pg_xact_status(${id}::xid8) as status, ${sql.raw(TIMELINE)} as timeline`.execute(
      writer,
    )
    const [row] = rows
    // A standby that took over gives ids again that it had not heard of: a commit may be another's.
    if (row?.status === 'committed' && row.timeline !== timeline) return undefined
    return row?.status ?? undefined
  } catch (error) {
    // The standby that took over has not heard of the transaction.
    if (isUnknownTransaction(error)) return 'aborted'
    if (error instanceof StorageUnavailableError) return undefined
    throw error
  }
}
