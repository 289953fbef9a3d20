import type { Failure } from './dialect/api-failure.js'
import { legacyFailure } from './dialect/legacy-dialect.js'
import { restFailure } from './dialect/rest-dialect.js'

const LEGACY = /^\/v2(\.1|\/i?[Nn]umbering)\//
const FAILURE: Failure = { status: 413, message: 'The body is too large' }

/**
 * The answer to a body beyond the limit of the listener, in the style of its path; undefined for a
 * path of another API.
 */
export function accountTooLarge({ url }: Request): Response | undefined {
  const { pathname } = new URL(url)
  if (pathname.startsWith('/v2.2/')) return refusal(restFailure(FAILURE).body)
  return LEGACY.test(pathname) ? refusal(legacyFailure(FAILURE).body) : undefined
}

function refusal(body: object): Response {
  return Response.json(body, { status: FAILURE.status })
}
