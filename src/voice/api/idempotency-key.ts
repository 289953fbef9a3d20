/** Reads `Idempotency-Key` for operations that store the key themselves. Pure. */
import type { ApiRequest } from '../../platform/api/api-request.js'
import { sha256Hex } from '../../platform/secrets.js'
import { ApiError } from './dialect/errors.js'

export interface KeyOfRequest {
  readonly idempotencyKey?: string
  /** A digest of the form. The same key with another form is another request. */
  readonly requestDigest?: string
}

/** Returns the key of the request, if it has one; `given` is the form before parsing. */
export function readIdempotencyKey(http: Pick<ApiRequest, 'header'>, given: unknown): KeyOfRequest {
  const key = http.header('idempotency-key')
  if (key === undefined) return {}
  if (/^[\x21-\x7e]{1,255}$/.test(key))
    return { idempotencyKey: key, requestDigest: sha256Hex(JSON.stringify(given)) }
  throw new ApiError(400, 20422, "'Idempotency-Key' is not valid: 1 to 255 visible characters")
}
