import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { SerialQueue } from '../../async/serial-queue.js'
import { pause } from '../../async/sleep.js'
import { systemClock } from '../../clock.js'
import type { Bind } from '../at-rest.js'
import type { Writer } from '../database.js'
import type { Engine } from '../engine.js'
import type { Migration } from '../migration.js'
import { describePostgres, type PostgresSettings, readPostgresUrl } from '../postgres-url.js'
import { DatabaseUnreachableError } from '../storage-error.js'
import type { Tables } from '../tables.js'
import { CheckedPool } from './checked-pool.js'
import { migratePostgres } from './migrate-postgres.js'
import { isUnavailable } from './postgres-errors.js'
import { Reruns, runTransaction } from './postgres-transactions.js'

/** Time to wait for a server that starts at the same time as this process, ms. */
const START_LIMIT_MS = 30_000
const START_EVERY_MS = 500
/** Time without an answer after which the wait is reported, ms; a failed attempt is reported at once. */
const REPORT_AFTER_MS = 1_000

/** Called once when a start waits for the server; the texts are without a password. */
export type OnWait = (wait: { readonly place: string; readonly reason: string }) => void

/**
 * Opens the database at the URL and brings its tables up to date. Rejects with a
 * `DatabaseUnreachableError` when it cannot be reached, and a `SchemaMismatchError` when these
 * migrations did not make it.
 */
export async function openPostgres(
  url: string,
  migrations: readonly Migration[],
  bind: Bind,
  onWait: OnWait = () => undefined,
): Promise<Engine> {
  const settings = readPostgresUrl(url)
  await whenReachable(settings, () => migratePostgres(settings, migrations), onWait)
  const listeners = new Set<() => void>()
  const onLost = (): void => {
    for (const listener of listeners) listener()
  }
  // Reads have connections of their own: a write that reads never waits for one that waits for it.
  const size = Math.floor(settings.poolSize / 2)
  const how = { bind, onLost }
  const pools = {
    read: new CheckedPool(settings, size, how),
    write: new CheckedPool(settings, settings.poolSize - size, how),
  }
  const read = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pools.read }) })
  const writer = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pools.write }) })
  const reruns = new Reruns()
  const shared = { reruns, turns: new SerialQueue() }
  return {
    name: 'postgres',
    isRemote: true,
    read,
    transaction: (work, isolation) => runTransaction(writer, work, isolation, shared),
    takeTurn: async (tx, turn) => {
      // Released after the commit can be seen (ProcArrayEndTransaction comes before the locks).
      await sql`select pg_advisory_xact_lock(hashtextextended(${turn}, 0))`.execute(tx)
    },
    savepoint,
    // Every failure comes from a checked connection, which has told it apart.
    failureOf: (error) => error,
    onLost: (listener) => {
      listeners.add(listener)
    },
    figures: () => figuresOf(pools, reruns),
    [Symbol.asyncDispose]: async () => {
      await read.destroy()
      await writer.destroy()
    },
  }
}

/** Adds up the two pools; `retries_…` counts the transactions that ran again, by cause. */
function figuresOf(
  { read, write }: Readonly<Record<'read' | 'write', CheckedPool>>,
  reruns: Reruns,
): Readonly<Record<string, number>> {
  return {
    connections: read.connections + write.connections,
    connections_busy: read.busy + write.busy,
    connections_lost: read.lost + write.lost,
    waiting: read.waiting + write.waiting,
    ...Object.fromEntries(
      Object.entries(reruns.byCause).map(([cause, count]) => [`retries_${cause}`, count]),
    ),
  }
}

/** Runs `work` as soon as the server accepts connections. */
async function whenReachable(
  settings: PostgresSettings,
  work: () => Promise<void>,
  onWait: OnWait,
): Promise<void> {
  const startedAt = systemClock.monotonic()
  let isReported = false
  const report = (reason: string): void => {
    if (!isReported) onWait({ place: describePostgres(settings), reason })
    isReported = true
  }
  const timer = setTimeout(report, REPORT_AFTER_MS, 'the start is not done with it yet')
  try {
    for (;;) {
      try {
        await work()
        return
      } catch (error) {
        const isOver = systemClock.monotonic() - startedAt > START_LIMIT_MS
        if (isOver || !isUnavailable(error) || !isOfConnection(error))
          throw isOfConnection(error) ? unreachable(settings, error) : error
        report(reasonOf(error))
        await pause(START_EVERY_MS)
      }
    }
  } finally {
    clearTimeout(timer)
  }
}

/** True for a connection failure and for a refused user or database. */
function isOfConnection(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|28|3D|53|57P)/.test(error.code ?? '')
  return error instanceof Error && ('code' in error || error.constructor === Error)
}

function unreachable(settings: PostgresSettings, cause: unknown): DatabaseUnreachableError {
  return new DatabaseUnreachableError(
    `DATABASE_URL: cannot use ${describePostgres(settings)}: ${reasonOf(cause)}`,
    { cause },
  )
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}

async function savepoint<Result>(tx: Writer, work: () => Promise<Result>): Promise<Result> {
  await sql`savepoint job`.execute(tx)
  try {
    const result = await work()
    await sql`release savepoint job`.execute(tx)
    return result
  } catch (error) {
    await undo(tx)
    throw error
  }
}

/** Rolls back to a savepoint; if that fails too, the transaction can only fail. */
async function undo(tx: Writer): Promise<void> {
  try {
    await sql`rollback to savepoint job`.execute(tx)
    await sql`release savepoint job`.execute(tx)
  } catch {
    return
  }
}
