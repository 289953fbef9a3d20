import type { HttpMethod } from './http-method.js'
import type { RequestBody } from './request-body.js'

/** One request of a chain: the first one, or the one that a redirect made of it. */
export interface Hop {
  readonly url: URL
  readonly method: HttpMethod
  readonly body: RequestBody | undefined
}
