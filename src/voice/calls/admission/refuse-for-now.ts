import { StorageUnavailableError } from '../../../platform/database/storage-error.js'

/** A request that can be refused: an INVITE, or one outside a dialog. */
interface Refusable {
  reject(status: number, reason: string, headers?: Readonly<Record<string, string>>): void
}

/** The headers of a 503 (RFC 3261 §21.5.4): after these seconds a new attempt may succeed. */
export const TRY_LATER = { 'Retry-After': '5' } as const

/** Refuses a request that may succeed a little later. */
export function refuseForNow(request: Refusable): void {
  request.reject(503, 'Service Unavailable', TRY_LATER)
}

/** Refuses a request that failed within the server. A storage that is full or away comes back. */
export function refuseFailed(request: Refusable, error: unknown): void {
  if (error instanceof StorageUnavailableError) refuseForNow(request)
  else request.reject(500, 'Server Internal Error')
}
