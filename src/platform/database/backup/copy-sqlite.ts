import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { systemClock } from '../../clock.js'

/** Progress of a copy. */
export interface CopyProgress {
  readonly bytes: number
  readonly ofBytes: number
}

export interface CopyPlan {
  readonly from: string
  /** The new file, readable by its owner only; an existing one is replaced. */
  readonly to: string
  /** Copy rate, to leave disk time for the server; undefined: no limit. */
  readonly bytesPerSecond: number | undefined
  readonly onProgress: (progress: CopyProgress) => void
}

const STEP_BYTES = 1024 * 1024
const SECOND_MS = 1_000
/** Maximum single pause, ms. */
const MAX_PAUSE_MS = 1_000

/**
 * Copies a snapshot of an SQLite database to a new file while a server may use it. The pauses block the thread,
 * so the process does nothing else meanwhile.
 */
export async function copySqlite({
  from,
  to,
  bytesPerSecond,
  onProgress,
}: CopyPlan): Promise<void> {
  rmSync(to, { force: true })
  closeSync(openSync(to, 'wx', 0o600))
  const source = connected(from)
  try {
    // An open read keeps one version of the file for all steps (https://www.sqlite.org/isolation.html):
    // without it each write of the server would make the copy begin anew
    // (https://www.sqlite.org/c3ref/backup_finish.html#sqlite3backupstep).
    source.exec('begin')
    source.prepare('select count(*) from sqlite_master').get()
    const pageBytes = Number(source.pragma('page_size', { simple: true }))
    const pages = Math.max(1, Math.floor(STEP_BYTES / pageBytes))
    const startedAt = systemClock.monotonic()
    await source.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        const bytes = (totalPages - remainingPages) * pageBytes
        onProgress({ bytes, ofBytes: totalPages * pageBytes })
        if (bytesPerSecond !== undefined)
          pauseUntil(startedAt + (bytes * SECOND_MS) / bytesPerSecond)
        return pages
      },
    })
  } catch (error) {
    rmSync(to, { force: true })
    throw explained(error, from, to)
  } finally {
    source.close()
  }
}

/** Fsyncs a file or a folder, so that it survives a power cut. */
export function flush(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Fsyncs the folder of this file, so that a rename in it survives a power cut. */
export function flushNames(file: string): void {
  flush(dirname(file))
}

function connected(file: string): Sqlite.Database {
  try {
    const connection = new Sqlite(file, { readonly: true, fileMustExist: true })
    connection.pragma('busy_timeout = 10000')
    return connection
  } catch (cause) {
    throw new BackupError(`there is no SQLite database ${file}`, { cause })
  }
}

function pauseUntil(time: number): void {
  const ms = Math.min(time - systemClock.monotonic(), MAX_PAUSE_MS)
  if (ms > 0)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms)
}

function explained(error: unknown, from: string, to: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error
  const isOfSource = /^SQLITE_(NOTADB|CORRUPT)/.test(error.code)
  return new BackupError(
    isOfSource
      ? `${from} is no intact SQLite database`
      : `${to} cannot be written: ${error.message}`,
    { cause: error },
  )
}

/** A backup cannot be made or restored; the message says what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}
