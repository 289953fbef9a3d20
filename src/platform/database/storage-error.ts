import { DomainError } from '../errors.js'

/** Nothing was stored, since the storage is full, fails or is away; a later attempt may succeed. */
export class StorageUnavailableError extends DomainError {
  override readonly name = 'StorageUnavailableError'
  readonly code = 'storage-unavailable'
}

/** The database cannot be used from the start; the message is for the operator. */
export class DatabaseUnreachableError extends Error {
  override readonly name = 'DatabaseUnreachableError'
}
