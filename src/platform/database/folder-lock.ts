/**
 * Gives one process a data folder for as long as it lives. The lock is SQLite's exclusive lock on a
 * small database of its own. The kernel releases it when the process ends, however it ends, and a
 * reused process number means nothing to it. A note for people beside it names the owner.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Sqlite from 'better-sqlite3'

/** Another process owns the folder; nothing in it was touched. */
export class FolderLockedError extends Error {
  override readonly name = 'FolderLockedError'
}

export interface FolderLock extends Disposable {
  /** Notes where the owner listens, for the message that the next process gets. */
  note(listeners: readonly string[]): void
}

/** The content of the note, which only the owner writes. */
interface Owner {
  readonly pid: number
  readonly since: string
  readonly listeners: readonly string[]
}

const LOCK_FILE = 'owner.lock'
const NOTE_FILE = 'owner.json'

/**
 * Takes the folder for this process until disposed. Throws a `FolderLockedError` when another
 * process has it.
 */
export function lockFolder(
  folder: string,
  owner: { readonly now: number; readonly listeners: readonly string[] },
): FolderLock {
  const lock = new Sqlite(join(folder, LOCK_FILE), { timeout: 0 })
  try {
    // Held until the connection closes. The journal in memory leaves no file behind a killed owner.
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
    // Written by `note` above, and only there.
    const { pid, since, listeners } = JSON.parse(
      readFileSync(join(folder, NOTE_FILE), 'utf8'),
    ) as Owner
    return ` (pid ${pid}, ${listeners.join(', ')}, since ${since})`
  } catch {
    return ''
  }
}
