import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Sqlite from 'better-sqlite3'
import {
  BackupError,
  type CopyProgress,
  copySqlite,
  flush,
  flushNames,
} from './backup/copy-sqlite.js'
import { putKeptFiles, readKeptFiles } from './backup/kept-files.js'

export interface BackupPlan {
  readonly dataDir: string
  /** The SQLite file in the data folder; a running server may use it. */
  readonly file: string
  /** The backup file; an existing one is replaced once the new one is complete. */
  readonly to: string
  readonly bytesPerSecond: number | undefined
  readonly onProgress: (progress: CopyProgress) => void
}

export interface Backup {
  readonly bytes: number
  /** Names of the files from the data folder that the backup holds beside the database. */
  readonly files: readonly string[]
}

/**
 * Backs up a database that is in use: one file with every row committed before the start, and the keys of the
 * data folder. Rejects with a `BackupError`; an earlier backup of that name is then still there.
 */
export async function backUpDatabase(plan: BackupPlan): Promise<Backup> {
  const to = resolve(plan.to)
  checkPlace(plan.file, to)
  const part = `${to}.part`
  try {
    await copySqlite({ ...plan, from: plan.file, to: part })
    const files = readKeptFiles(plan.dataDir)
    complete(part, (copy) => {
      putKeptFiles(copy, files)
    })
    renameSync(part, to)
    flushNames(to)
    return { bytes: statSync(to).size, files: files.map(({ name }) => name) }
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

function checkPlace(file: string, to: string): void {
  if (to === file || to.startsWith(`${file}-`))
    throw new BackupError(`${to} is the database itself: name another file`)
  if (!existsSync(dirname(to)))
    throw new BackupError(`there is no folder ${dirname(to)}: make it first`)
  if (existsSync(to) && !statSync(to).isFile())
    throw new BackupError(`${to} is no file: name one in it`)
}

/** Turns the copy into a self-contained file without a WAL, and checks it. */
function complete(part: string, add: (copy: Sqlite.Database) => void): void {
  const copy = new Sqlite(part)
  try {
    copy.pragma('journal_mode = DELETE')
    const applied = copy
      .prepare("select 1 from sqlite_master where type = 'table' and name = 'schema_migrations'")
      .get()
    if (applied === undefined) throw new BackupError('the database was not made by trunkline')
    copy.transaction(add)(copy)
    const [problem] = copy.pragma('quick_check(1)') as readonly { readonly quick_check: string }[]
    if (problem?.quick_check !== 'ok')
      throw new BackupError(
        `the database is damaged (${problem?.quick_check ?? 'unknown'}): restore an earlier backup`,
      )
  } finally {
    copy.close()
  }
  flush(part)
}
