import { z } from '@hono/zod-openapi'
import type { ApiRequest } from '../../../platform/api/api-request.js'
import {
  type Dialect,
  type ErrorAnswer,
  type Refusal,
  type Refusals,
  RefusedError,
  type RefusedRequest,
} from '../../../platform/api/dialect.js'
import { isJsonText, JSON_INSTEAD_OF_FORM } from '../../../platform/api/read-body.js'
import { DomainError } from '../../../platform/errors.js'
import { hexOfUuid } from '../../../platform/ids.js'
import { type ErrorNumber, isErrorNumber } from '../../errors/error-catalogue.js'
import { ApiError, errorBody, fromDomainError, notFound } from './errors.js'
import { toXml } from './xml.js'

const MAX_BODY_BYTES = 1024 * 1024
const GENERIC_INVALID = 20422
const XML = 'application/xml'

const errorResource = z
  .object({
    code: z.number().openapi({ description: 'The number of the error: see /docs/errors.' }),
    message: z.string().openapi({ description: 'What is wrong.' }),
    more_info: z.string().openapi({ description: 'The page that explains the number.' }),
    status: z.number().openapi({ description: 'The status of the answer.' }),
  })
  .openapi('Error')

type ErrorOf = (error: ApiError, request: RefusedRequest) => ErrorAnswer

function refusalsBy(errorOf: ErrorOf): Refusals {
  const says =
    (status: number, number: ErrorNumber, message: string) =>
    (_: Refusal, request: RefusedRequest) =>
      errorOf(new ApiError(status, number, message), request)
  return {
    'unknown-path': (_, request) => errorOf(notFound(request.path), request),
    'wrong-method': (_, request) =>
      errorOf(new ApiError(405, 20004, `Method ${request.method} is not allowed here`), request),
    unauthenticated: says(401, 20003, 'Authenticate'),
    'account-not-active': says(403, 20005, 'Account is not active'),
    'address-not-allowed': says(403, 20006, 'Access Denied'),
    'key-not-enough': says(403, 20006, 'Access Denied'),
    overloaded: says(503, 20503, 'Service unavailable'),
    'too-many-requests': says(429, 20429, 'Too Many Requests'),
    'body-too-large': says(413, 20413, 'Request Entity Too Large'),
    'unreadable-body': says(
      400,
      GENERIC_INVALID,
      'The body cannot be read as its content type says',
    ),
    'coded-body': says(
      415,
      GENERIC_INVALID,
      "'Content-Encoding' is not valid: the body must be sent without one",
    ),
    invalid: (refusal, request) => errorOf(invalid(refusal), request),
    'bad-idempotency-key': ({ maxChars }, request) =>
      errorOf(badKey(`1 to ${maxChars} visible characters`), request),
    'idempotency-key-reused': (_, request) =>
      errorOf(badKey('it was used for another request', 409), request),
    'idempotency-key-in-use': (_, request) =>
      errorOf(badKey('its first request is still running'), request),
    'storage-unavailable': ({ reason }, request) =>
      errorOf(new ApiError(503, 20503, reason), request),
    fault: says(500, 20500, 'Internal Server Error'),
  }
}

/**
 * Returns the dialect of the voice API: PascalCase form fields, numbered errors, and XML on
 * request. `publicUrl` is the URL that customers use for this server; the default is the host in
 * the request.
 */
export function createVoiceDialect(publicUrl: string | undefined): Dialect {
  const errorOf: ErrorOf = (error, request) => answerOf(error, publicUrl ?? request.origin)
  return {
    formats: ['form'],
    readsJsonAsForm: true,
    readParam,
    maxBodyBytes: MAX_BODY_BYTES,
    problem: errorResource,
    refusals: refusalsBy(errorOf),
    explain: (error, request) => {
      const known = error instanceof DomainError ? fromDomainError(error, request.path) : error
      return known instanceof ApiError ? errorOf(known, request) : undefined
    },
    encodedTypes: [XML],
    encode: (body, request) =>
      wantsXml(request)
        ? {
            mediaType: `${XML}; charset=utf-8`,
            // Every response of the voice API is an object.
            text: toXml(body as Readonly<Record<string, unknown>>, resourceOf(request.path)),
          }
        : undefined,
  }
}

/**
 * Reads a sid in a path. A call sid may contain dashes like a UUID (API specification). A sid with
 * capital hex digits does not exist.
 */
function readParam(text: string): string {
  // The usual form.
  if (/^[A-Z]{2}[0-9a-f]{32}$/.test(text)) return text
  if (/^[A-Z]{2}[0-9a-fA-F]{32}$/.test(text)) throw new RefusedError({ type: 'unknown-path' })
  const dashed = text.startsWith('CA') ? hexOfUuid(text.slice(2)) : undefined
  return dashed === undefined ? text : `CA${dashed}`
}

function answerOf(error: ApiError, origin: string): ErrorAnswer {
  const { status } = error
  const isTemporary = status === 503 || status === 429
  const headers: Record<string, string> = {}
  if (status === 401) headers['www-authenticate'] = 'Basic realm="Voice API"'
  if (isTemporary) headers['retry-after'] = '1'
  return { status, body: errorBody(error, origin), headers, isTemporary }
}

function badKey(why: string, status = 400): ApiError {
  return new ApiError(status, GENERIC_INVALID, `'Idempotency-Key' is not valid: ${why}`)
}

/** Returns the error for an invalid form, with the number of its first invalid field. */
function invalid({
  issues,
  given,
  fieldErrors,
}: Extract<Refusal, { readonly type: 'invalid' }>): ApiError {
  const [issue] = issues
  const name = String(issue?.path[0] ?? '')
  const value = (given as Readonly<Record<string, unknown>>)[name] // a form or a query
  const isMissing = value === undefined || value === ''
  const problem = isMissing ? 'missing' : issue?.code === 'too_big' ? 'tooLong' : 'invalid'
  const numbers = fieldErrors[name] ?? { invalid: GENERIC_INVALID }
  const message = messageOf(name, issue?.message ?? '', isMissing) + hintOf(name, given)
  const number = numbers[problem] ?? numbers.invalid
  return new ApiError(400, isErrorNumber(number) ? number : GENERIC_INVALID, message)
}

/** Returns the hint for JSON text where a form is expected; a fault of the whole body says it itself. */
function hintOf(name: string, given: unknown): string {
  return name !== '' && isJsonText(given) ? `; ${JSON_INSTEAD_OF_FORM}` : ''
}

function messageOf(name: string, problem: string, isMissing: boolean): string {
  if (isMissing && name !== '') return `Required parameter '${name}' is missing`
  return name === '' ? problem : `'${name}' is not valid: ${problem}`
}

/** True when the path ends with `.xml`, or has no suffix and the client prefers XML. */
function wantsXml(request: ApiRequest): boolean {
  const { suffix } = request
  if (suffix !== undefined) return suffix === 'xml'
  return /^(application|text)\/xml\b/.test(request.header('accept')?.trim() ?? '')
}

/** Returns the resource name of a path: Call for `…/Calls/CA…` and `…/Calls`. */
function resourceOf(path: string): string {
  const segments = path.split('/').filter((segment) => !isSid(segment))
  return (segments.at(-1) ?? '').replace(/s$/, '')
}

function isSid(segment: string): boolean {
  return (
    /^[A-Z]{2}[0-9a-fA-F]{32}$/.test(segment) || hexOfUuid(segment.replace(/^CA/, '')) !== undefined
  )
}

/** Returns the 413 for a body over the size limit. */
export function tooLarge({ url }: Request): Response {
  const body = errorBody(new ApiError(413, 20413, 'Request Entity Too Large'), new URL(url).origin)
  return Response.json(body, { status: 413 })
}

/** Returns the error for an unknown path. */
export function unknownPath(): RefusedError {
  return new RefusedError({ type: 'unknown-path' })
}
