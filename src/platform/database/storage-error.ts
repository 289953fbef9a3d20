import { DomainError } from '../errors.js'

/** Nothing was stored, since the storage is full, fails or is away; a later attempt may succeed. */
export class StorageUnavailableError extends DomainError {
  override readonly name: string = 'StorageUnavailableError'
  readonly code = 'storage-unavailable'
}

/** The storage is there but answered too late, or too much waits for it; other work may succeed. */
export class StorageBusyError extends StorageUnavailableError {
  override readonly name = 'StorageBusyError'
}

/** The database cannot be used from the start; the message is for the operator. */
export class DatabaseUnreachableError extends Error {
  override readonly name = 'DatabaseUnreachableError'
}
