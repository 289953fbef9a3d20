import { z } from '@hono/zod-openapi'
import type { Dialect, ErrorAnswer } from '../../platform/api/dialect.js'
import type { Failure } from './api-failure.js'
import { explainBy, refusalsBy } from './failures.js'

/** Maximum size of a JSON body in both styles. */
export const MAX_JSON_BYTES = 256 * 1024

const restError = z
  .object({
    status: z.literal('error').openapi({ description: 'Always the same.' }),
    error: z
      .object({
        code: z.number().int().openapi({ description: 'The status of the answer.' }),
        message: z.string().openapi({ description: 'What is wrong; it names the field.' }),
      })
      .openapi({ description: 'The error.' }),
  })
  .openapi('AccountError')

/** The REST style: `{ status: "success", data }`, and an error with a code and a message. */
export const restDialect: Dialect = {
  formats: ['json'],
  maxBodyBytes: MAX_JSON_BYTES,
  takesNullForAbsent: true,
  problem: restError,
  refusals: refusalsBy(restFailure),
  explain: explainBy(restFailure),
}

/** Formats a failure in the REST style. */
export function restFailure({ status, message, headers = {}, beside }: Failure): ErrorAnswer {
  return {
    status,
    body: { status: 'error', error: { code: status, message }, ...beside },
    headers,
  }
}
