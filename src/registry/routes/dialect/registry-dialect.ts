import { z } from '@hono/zod-openapi'
import type {
  Dialect,
  ErrorAnswer,
  Refusal,
  Refusals,
  RefusedRequest,
} from '../../../platform/api/dialect.js'
import {
  type Problem,
  problem,
  RegistryError,
  TEMPORARY_CODES,
} from '../../model/registry-error.js'

const MAX_JSON_BYTES = 256 * 1024

const registryErrors = z
  .array(
    z.object({
      code: z.number().int().openapi({ description: 'The number of the error, as in /error.' }),
      description: z.string().openapi({ description: 'What is wrong, for a person.' }),
      fields: z.array(z.string()).openapi({ description: 'The fields that it is about.' }),
    }),
  )
  .openapi('RegistryErrors')

const absent = ({ method, path }: RefusedRequest) => [
  problem(502, [], `there is no ${method} ${path}`),
]

const REFUSALS: Refusals = {
  'unknown-path': (_, request) => answer(404, absent(request)),
  'wrong-method': (_, request) => answer(405, absent(request)),
  unauthenticated: () => ({
    ...answer(401, [problem(202, [], 'User not authenticated')]),
    headers: { 'www-authenticate': 'Bearer realm="Registry", Basic realm="Registry"' },
  }),
  'account-not-active': () =>
    answer(403, [problem(205, [], 'Unauthorized operation: account is not active')]),
  'key-not-enough': () => answer(403, [problem(205, [], 'Unauthorized operation: not with a key')]),
  'address-not-allowed': () =>
    answer(403, [problem(205, [], 'Unauthorized operation: not from this address')]),
  overloaded: () => tooMany(1),
  'too-many-requests': ({ waitSeconds }) => tooMany(waitSeconds),
  'body-too-large': bodyTooLarge,
  'unreadable-body': () => wrong('body', 'the body is not JSON'),
  'coded-body': () =>
    answer(415, [
      problem(501, ['Content-Encoding'], 'Content-Encoding: the body must be sent without one'),
    ]),
  invalid: (refusal) => answer(400, invalid(refusal)),
  'bad-idempotency-key': ({ maxChars }) =>
    wrong('Idempotency-Key', `at most ${maxChars} characters`),
  'idempotency-key-reused': () => ({
    ...wrong('Idempotency-Key', 'the key was used for another request'),
    status: 409,
  }),
  'idempotency-key-in-use': () =>
    answer(400, [
      problem(591, ['Idempotency-Key'], 'the first request with this key is still running'),
    ]),
  'storage-unavailable': ({ reason }) => ({
    ...answer(503, [problem(591, [], reason)]),
    headers: { 'retry-after': '1' },
  }),
  fault: () => answer(500, [problem(590, [], 'internal error')]),
}

/** JSON in and out; an error is an array of problems, mostly with status 400. */
export const registryDialect: Dialect = {
  formats: ['json'],
  maxBodyBytes: MAX_JSON_BYTES,
  problem: registryErrors,
  refusals: REFUSALS,
  explain: (error) => (error instanceof RegistryError ? answer(400, error.problems) : undefined),
}

/** The answer to a body that exceeds the size limit. */
export function bodyTooLarge({ maxBytes } = { maxBytes: MAX_JSON_BYTES }): ErrorAnswer {
  return wrong('body', `the body is larger than ${maxBytes} bytes`)
}

function wrong(field: string, description: string): ErrorAnswer {
  return answer(400, [problem(501, [field], description)])
}

function tooMany(seconds: number): ErrorAnswer {
  const problems = [problem(591, [], `too many requests: try again in ${seconds} s`)]
  return { ...answer(429, problems), headers: { 'retry-after': String(seconds) } }
}

type Invalid = Extract<Refusal, { type: 'invalid' }>

/** Reports all problems of a request together: code 501, one entry for each field. */
function invalid({ issues, where }: Invalid): readonly Problem[] {
  const byField = new Map<string, Problem>()
  for (const issue of issues) {
    for (const field of fieldsOf(issue, where))
      if (!byField.has(field))
        byField.set(field, problem(501, [field], `${field}: ${issue.message}`))
  }
  return [...byField.values()]
}

/** The fields that an issue names. For an unknown parameter, the issue has it, not the path. */
function fieldsOf(issue: Invalid['issues'][number], where: string): readonly string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys
  return [String(issue.path[0] ?? where)]
}

function answer(status: number, problems: readonly Problem[]): ErrorAnswer {
  return {
    status,
    body: problems.map(({ code, description, fields }) => ({ code, description, fields })),
    isTemporary: problems.some(({ code }) => TEMPORARY_CODES.includes(code)),
  }
}
