import { DomainError } from '../errors.js'

/** Nothing was stored, since the storage is full, fails or is away; a later attempt may succeed. */
export class StorageUnavailableError extends DomainError {
  override readonly name = 'StorageUnavailableError'
  readonly code = 'storage-unavailable'
}
