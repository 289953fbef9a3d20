/** Reads the `Idempotency-Key` of operations that keep it themselves. Pure. */
import { ApiError } from './dialect/errors.js'

/** The key of the request, where it has one. */
export function readIdempotencyKey(key: string | undefined): { readonly idempotencyKey?: string } {
  if (key === undefined) return {}
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return { idempotencyKey: key }
  throw new ApiError(400, 20422, "'Idempotency-Key' is not valid: 1 to 255 visible characters")
}
