import Sqlite from 'better-sqlite3'
import { DomainError } from '../errors.js'

/** The write was not stored, since the disk is full or fails; another attempt later may succeed. */
export class StorageUnavailableError extends DomainError {
  override readonly name = 'StorageUnavailableError'
  readonly code = 'storage-unavailable'
}

/**
 * The SQLite codes that mean an unavailable disk. Extended codes begin with the name of the plain
 * one (sqlite.org/rescode.html).
 */
const UNAVAILABLE = ['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_CANTOPEN']

export function storageErrorOf(error: unknown): unknown {
  const isUnavailable =
    error instanceof Sqlite.SqliteError && UNAVAILABLE.some((code) => error.code.startsWith(code))
  return isUnavailable
    ? new StorageUnavailableError('nothing can be stored at this moment', { cause: error })
    : error
}
