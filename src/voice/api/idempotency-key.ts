/** Reads the `Idempotency-Key` of operations that keep it themselves. Pure. */
import type { ApiRequest } from '../../platform/api/api-request.js'
import { sha256Hex } from '../../platform/secrets.js'
import { ApiError } from './dialect/errors.js'

export interface KeyOfRequest {
  readonly idempotencyKey?: string
  /** A digest of the form: another form with the same key is another request. */
  readonly requestDigest?: string
}

/** The key of the request, where it has one; `given` is its form as it came. */
export function readIdempotencyKey(http: Pick<ApiRequest, 'header'>, given: unknown): KeyOfRequest {
  const key = http.header('idempotency-key')
  if (key === undefined) return {}
  if (/^[\x21-\x7e]{1,255}$/.test(key))
    return { idempotencyKey: key, requestDigest: sha256Hex(JSON.stringify(given)) }
  throw new ApiError(400, 20422, "'Idempotency-Key' is not valid: 1 to 255 visible characters")
}
