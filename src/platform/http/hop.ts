import type { RequestBody } from './request-body.js'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** One request of a chain: the first one, or what a redirect made of it. */
export interface Hop {
  readonly url: URL
  readonly method: HttpMethod
  readonly body: RequestBody | undefined
}
