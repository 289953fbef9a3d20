import { z } from '@hono/zod-openapi'
import type { Dialect, ErrorAnswer, Refusals } from './dialect.js'
import { sentenceOf } from './issue-words.js'

const plainError = z
  .object({ error: z.string().openapi({ description: 'What is wrong, for a person.' }) })
  .openapi('PlainError')

const MAX_JSON_BYTES = 1024 * 1024

const REFUSALS: Refusals = {
  'unknown-path': () => plainAnswer(404, 'not found'),
  'wrong-method': () => plainAnswer(405, 'the method is not allowed here'),
  unauthenticated: () => plainAnswer(401, 'the admin token is missing or wrong'),
  'account-not-active': () => plainAnswer(403, 'forbidden'),
  'address-not-allowed': () => plainAnswer(403, 'forbidden'),
  'key-not-enough': () => plainAnswer(403, 'forbidden'),
  overloaded: () => retryAfter(1, plainAnswer(503, 'too many requests at once')),
  'too-many-requests': ({ waitSeconds }) =>
    retryAfter(waitSeconds, plainAnswer(429, 'too many requests')),
  'body-too-large': ({ maxBytes }) => plainAnswer(413, `the body is larger than ${maxBytes} bytes`),
  'unreadable-body': () => plainAnswer(400, 'the body is not JSON'),
  'coded-body': () => plainAnswer(415, 'the body must be sent without a Content-Encoding'),
  invalid: ({ issues }) => plainAnswer(400, sentenceOf(issues)),
  'bad-idempotency-key': ({ maxChars }) =>
    plainAnswer(400, `Idempotency-Key has at most ${maxChars} characters`),
  'idempotency-key-reused': () =>
    plainAnswer(409, 'the Idempotency-Key was used for another request'),
  'idempotency-key-in-use': () =>
    plainAnswer(409, 'the first request with this Idempotency-Key is still running'),
  'storage-unavailable': ({ reason }) => retryAfter(1, plainAnswer(503, reason)),
  fault: () => plainAnswer(500, 'internal error'),
}

/** JSON in both directions; an error is one sentence: `{ "error": "not found" }`. */
export const plainDialect: Dialect = {
  formats: ['json'],
  maxBodyBytes: MAX_JSON_BYTES,
  problem: plainError,
  refusals: REFUSALS,
  explain: () => undefined,
}

/** The answer to a body above the listener's limit; the same as above the dialect's own. */
export function plainTooLarge(): Response {
  const { status, body } = plainAnswer(413, `the body is larger than ${MAX_JSON_BYTES} bytes`)
  return Response.json(body, { status })
}

export function plainAnswer(status: number, error: string): ErrorAnswer {
  return { status, body: { error } }
}

function retryAfter(seconds: number, answer: ErrorAnswer): ErrorAnswer {
  return { ...answer, headers: { 'retry-after': String(seconds) } }
}
