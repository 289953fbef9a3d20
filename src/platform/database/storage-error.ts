import { DomainError } from '../errors.js'

/** Nothing was stored, since the storage is full, fails or is unreachable; a retry may succeed. */
export class StorageUnavailableError extends DomainError {
  override readonly name: string = 'StorageUnavailableError'
  readonly code = 'storage-unavailable'
}

/** The storage answered too late, or too much waits for it; other work may succeed. */
export class StorageBusyError extends StorageUnavailableError {
  override readonly name = 'StorageBusyError'
}

/** The database cannot be used at startup; the message is for the operator. */
export class DatabaseUnreachableError extends Error {
  override readonly name = 'DatabaseUnreachableError'
}
