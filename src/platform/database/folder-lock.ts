/**
 * Gives one process exclusive use of a data folder. The lock is SQLite's exclusive lock on a small separate
 * database: the kernel releases it however the process ends, and a reused pid does not matter. A note beside it
 * names the owner for people.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Sqlite from 'better-sqlite3'

/** Another process holds the folder; nothing in it was changed. */
export class FolderLockedError extends Error {
  override readonly name = 'FolderLockedError'
}

export interface FolderLock extends Disposable {
  /** Records where the owner listens, for the error message of the next process. */
  note(listeners: readonly string[]): void
}

/** Content of the note, which only the owner writes. */
interface Owner {
  readonly pid: number
  readonly since: string
  readonly listeners: readonly string[]
}

const LOCK_FILE = 'owner.lock'
const NOTE_FILE = 'owner.json'

/**
 * Locks the folder for this process until disposed. Throws a `FolderLockedError` when another process holds it.
 */
export function lockFolder(
  folder: string,
  owner: { readonly now: number; readonly listeners: readonly string[] },
): FolderLock {
  const lock = new Sqlite(join(folder, LOCK_FILE), { timeout: 0 })
  try {
    // Held until the connection closes. With the journal in memory a killed owner leaves no file behind.
    lock.pragma('journal_mode = MEMORY')
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY'))
      throw new FolderLockedError(refusal(folder))
    throw error
  }
  const since = new Date(owner.now).toISOString()
  const note = (listeners: readonly string[]): void => {
    const text: Owner = { pid: process.pid, since, listeners }
    writeFileSync(join(folder, NOTE_FILE), `${JSON.stringify(text)}\n`, { mode: 0o600 })
  }
  note(owner.listeners)
  return {
    note,
    [Symbol.dispose]: () => {
      lock.close()
    },
  }
}

function refusal(folder: string): string {
  return (
    `DATA_DIR: ${resolve(folder)} belongs to another running trunkline${described(folder)}. ` +
    'Stop that one first, or give this one a folder of its own.'
  )
}

/** Describes the owner; empty when the owner has not written its note yet. */
function described(folder: string): string {
  try {
    // Only `note` above writes it.
    const { pid, since, listeners } = JSON.parse(
      readFileSync(join(folder, NOTE_FILE), 'utf8'),
    ) as Owner
    return ` (pid ${pid}, ${listeners.join(', ')}, since ${since})`
  } catch {
    return ''
  }
}
