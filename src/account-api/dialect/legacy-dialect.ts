import { z } from '@hono/zod-openapi'
import type { Dialect, ErrorAnswer } from '../../platform/api/dialect.js'
import type { Failure } from './api-failure.js'
import { explainBy, refusalsBy } from './failures.js'
import { MAX_JSON_BYTES } from './rest-dialect.js'

export const legacyError = z
  .object({
    statusCode: z.string().openapi({ description: 'The status of the answer, as a text.' }),
    status: z.literal('Error').openapi({ description: 'Always the same.' }),
    message: z.string().openapi({ description: 'What is wrong; it names the field.' }),
  })
  .openapi('LegacyError')

/** The legacy style: flat bodies with `statusCode` as a text. */
export const legacyDialect: Dialect = {
  formats: ['json'],
  maxBodyBytes: MAX_JSON_BYTES,
  takesNullForAbsent: true,
  problem: legacyError,
  refusals: refusalsBy(legacyFailure),
  explain: explainBy(legacyFailure),
}

/** Formats a failure in the legacy style. */
export function legacyFailure(failure: Failure): ErrorAnswer {
  const { legacyStatus: status = failure.status, message, headers = {}, beside } = failure
  return {
    status,
    body: { statusCode: String(status), status: 'Error', message, ...beside },
    headers,
  }
}
