import Sqlite from 'better-sqlite3'
import { systemClock } from '../clock.js'
import type { Migration } from './migration.js'
import { MoveError } from './moving/move-error.js'
import { MoveMeter, type MoveProgress } from './moving/move-meter.js'
import { copyTable, sumTable } from './moving/move-table.js'
import { type MovedTable, matchTables } from './moving/postgres-catalogue.js'
import { PostgresTarget } from './moving/postgres-target.js'
import { openSqliteSource, type SqliteSource } from './moving/sqlite-source.js'
import { differenceOf } from './moving/table-sums.js'
import { describePostgres, readPostgresUrl } from './postgres-url.js'
import { DatabaseUnreachableError } from './storage-error.js'

export interface MovePlan {
  /** The SQLite file; no server may have it open. */
  readonly file: string
  /** URL of the PostgreSQL database. */
  readonly url: string
  readonly migrations: readonly Migration[]
  /** Name of the node that owns the database; a move resumes only under the same name. */
  readonly node: string
  readonly onProgress: (progress: MoveProgress) => void
}

export interface MoveResult {
  readonly tables: number
  readonly rows: number
  /** True when this run completed an earlier, unfinished move. */
  readonly isResumed: boolean
  readonly seconds: number
}

/**
 * Moves an SQLite database into an empty PostgreSQL database and compares the two. After a kill the next run
 * resumes. Rejects with a `MoveError`, a `SchemaMismatchError` or a `DatabaseUnreachableError`, whose messages
 * say what to do.
 */
export async function moveDatabase(plan: MovePlan): Promise<MoveResult> {
  const startedAt = systemClock.monotonic()
  using source = openSqliteSource(plan.file, plan.migrations)
  await using target = await PostgresTarget.open(
    readPostgresUrl(plan.url),
    plan.migrations,
    plan.node,
  )
  const tables = await matchTables(target.client, source.tables)
  try {
    await copyAll(source, target, tables, plan)
    await verifyAll(source, target, tables, plan)
    await target.finish()
  } catch (error) {
    throw explained(error, plan, target)
  }
  return {
    tables: tables.length,
    rows: rowsOf(tables),
    isResumed: target.isResumed,
    seconds: (systemClock.monotonic() - startedAt) / 1_000,
  }
}

async function copyAll(
  source: SqliteSource,
  target: PostgresTarget,
  tables: readonly MovedTable[],
  { onProgress }: MovePlan,
): Promise<void> {
  const before = tables.reduce((sum, table) => sum + target.markOf(table.source.name).rows, 0)
  const meter = meterOf(tables, 'copying', before, onProgress)
  for (const table of tables) {
    const { name, rows: ofRows } = table.source
    await copyTable(source, target, table, (rows) => {
      if (ofRows > 0) meter.reached(name, rows, ofRows)
    })
    meter.finished(ofRows)
  }
}

/** Compares the checksums of both sides; reads the source again, so that no earlier result is trusted. */
async function verifyAll(
  source: SqliteSource,
  target: PostgresTarget,
  tables: readonly MovedTable[],
  { onProgress, url }: MovePlan,
): Promise<void> {
  const meter = meterOf(tables, 'verifying', 0, onProgress)
  for (const table of tables) {
    const { name, rows: ofRows } = table.source
    const [original, copy] = await Promise.all([
      sumTable(source, table, (rows) => {
        meter.reached(name, Math.min(rows, ofRows - 1), ofRows)
      }),
      target.sums(table),
    ])
    if (ofRows > 0) meter.reached(name, ofRows, ofRows)
    meter.finished(ofRows)
    const difference = differenceOf(original, copy)
    if (difference !== undefined)
      throw new MoveError(
        `the copy is not the original: ${name}: ${difference}. Has a server used the original since ` +
          `the move began? Drop ${describePostgres(readPostgresUrl(url))}, make an empty database, ` +
          'and move again',
      )
  }
}

/** Adds advice to a failure of either database. */
function explained(error: unknown, { file, url }: MovePlan, target: PostgresTarget): unknown {
  if (error instanceof MoveError || !(error instanceof Error)) return error
  if (error instanceof Sqlite.SqliteError)
    return new MoveError(`${file} cannot be read: ${error.message}. Restore a backup of it`, {
      cause: error,
    })
  if (!target.isAway(error)) return error
  return new DatabaseUnreachableError(
    `${describePostgres(readPostgresUrl(url))} was lost: ${error.message}. Run the command again: it ` +
      'goes on where it was',
    { cause: error },
  )
}

function meterOf(
  tables: readonly MovedTable[],
  step: MoveProgress['step'],
  before: number,
  report: (progress: MoveProgress) => void,
): MoveMeter {
  return new MoveMeter({ clock: systemClock, report, step, rows: rowsOf(tables), before })
}

function rowsOf(tables: readonly MovedTable[]): number {
  return tables.reduce((sum, { source }) => sum + source.rows, 0)
}
