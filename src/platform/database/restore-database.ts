import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import {
  BackupError,
  type CopyProgress,
  copySqlite,
  flush,
  flushNames,
} from './backup/copy-sqlite.js'
import { type KeptFile, takeKeptFiles, writeKeptFiles } from './backup/kept-files.js'
import type { Migration } from './migration.js'
import { pendingMigrations } from './pending-migrations.js'

export interface RestorePlan {
  readonly from: string
  /** The data folder, which no server uses, and the SQLite file in it. */
  readonly dataDir: string
  readonly file: string
  readonly migrations: readonly Migration[]
  /** Wall clock, epoch ms; it is part of the names of set-aside files. */
  readonly now: number
  readonly onProgress: (progress: CopyProgress) => void
}

export interface Restored {
  /** New name of the former database; undefined when there was none. */
  readonly former: string | undefined
  /** Names of the files written beside the database. */
  readonly files: readonly string[]
}

/**
 * Replaces the database by a backup and keeps the former one under another name. Rejects with a `BackupError`
 * or a `SchemaMismatchError` before anything has changed.
 */
export async function restoreDatabase(plan: RestorePlan): Promise<Restored> {
  const { dataDir, file, from, migrations, now, onProgress } = plan
  if (from === file) throw new BackupError(`${from} is the database itself: name a backup of it`)
  const part = `${file}.restoring`
  const suffix = `.before-${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  try {
    await copySqlite({ from, to: part, bytesPerSecond: undefined, onProgress })
    const kept = checked(part, from, migrations)
    flush(part)
    const former = setAside(file, suffix)
    const files = writeKeptFiles(dataDir, kept, suffix)
    renameSync(part, file)
    flushNames(file)
    return { former, files }
  } finally {
    rmSync(part, { force: true })
  }
}

/** Checks every page and the version of the copy; returns the other files in it. */
function checked(
  part: string,
  from: string,
  migrations: readonly Migration[],
): readonly KeptFile[] {
  const copy = new Sqlite(part)
  try {
    copy.pragma('journal_mode = DELETE')
    const [problem] = copy.pragma('integrity_check(1)') as readonly {
      readonly integrity_check: string
    }[]
    if (problem?.integrity_check !== 'ok')
      throw new BackupError(`${from} is damaged: ${problem?.integrity_check ?? 'unknown'}`)
    const namesIn = (query: string) => copy.prepare<[], string>(query).pluck().all()
    const tables = namesIn("select name from sqlite_master where name = 'schema_migrations'")
    if (tables.length === 0) throw new BackupError(`${from} is no backup of trunkline`)
    pendingMigrations(migrations, new Set(namesIn('select name from schema_migrations')), from)
    return copy.transaction(() => takeKeptFiles(copy))()
  } catch (error) {
    throw error instanceof Sqlite.SqliteError
      ? new BackupError(`${from} is damaged: ${error.message}`, { cause: error })
      : error
  } finally {
    copy.close()
  }
}

/**
 * Renames the database together with its WAL: SQLite would apply a WAL left behind to the restored database.
 */
function setAside(file: string, suffix: string): string | undefined {
  if (!existsSync(file)) return undefined
  const former = `${file}${suffix}`
  emptyLog(file)
  for (const log of ['-wal', '-shm'])
    if (existsSync(`${file}${log}`)) renameSync(`${file}${log}`, `${former}${log}`)
  linkSync(file, former)
  flushNames(file)
  return former
}

/** Checkpoints the WAL into the database, where it is readable. */
function emptyLog(file: string): void {
  try {
    const connection = new Sqlite(file)
    try {
      connection.pragma('wal_checkpoint(TRUNCATE)')
    } finally {
      connection.close()
    }
  } catch (error) {
    // A damaged one keeps its log beside it.
    if (error instanceof Sqlite.SqliteError) return
    throw error
  }
}
