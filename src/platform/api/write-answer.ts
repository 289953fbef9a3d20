import { z } from '@hono/zod-openapi'
import { StorageUnavailableError } from '../database/storage-error.js'
import { InvariantError } from '../errors.js'
import type { Api } from './api.js'
import type { ApiRequest } from './api-request.js'
import { type Dialect, type ErrorAnswer, RefusedError, refusalAnswer } from './dialect.js'
import { type Download, isRawAnswer, type Operation, WithHeaders } from './operation.js'

/** Forbids browsers to guess a content type (fetch.spec.whatwg.org §3.6). */
export const NOSNIFF = { 'x-content-type-options': 'nosniff' } as const
const JSON_HEADERS = { 'content-type': 'application/json', ...NOSNIFF }
const TEXT_HEADERS = { 'content-type': 'text/plain;charset=UTF-8', ...NOSNIFF }

/** An answer that is one text. */
export interface TextAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** null when the answer has no body. */
  readonly text: string | null
}

/** An answer before it is sent. Only an answer that is not text needs a `Response`. */
export type Answer = Response | TextAnswer

/** JSON of frozen values, which is written once. */
const texts = new WeakMap<object, string>()

export function toResponse(answer: Answer): Response {
  return answer instanceof Response
    ? answer
    : new Response(answer.text, { status: answer.status, headers: answer.headers })
}

/** Returns the answer for the `result` of an operation. */
export function successAnswer<Caller>(
  operation: Operation<Caller>,
  result: unknown,
  request: ApiRequest,
  api: Api<Caller>,
): Answer {
  const { response, status } = operation
  if (result instanceof Response) {
    result.headers.set('x-content-type-options', 'nosniff')
    return result
  }
  if (response === undefined) return { status, headers: NOSNIFF, text: null }
  if (response === 'file') return fileAnswer(result as Download) // the meaning of `file`
  if (response === 'text') return { status, headers: TEXT_HEADERS, text: String(result) }
  if (isRawAnswer(response)) {
    // One of its media types is that of a resource.
    if (typeof result === 'object' && result !== null) {
      const { resource } = response
      if (api.checkAnswers === true && resource !== undefined)
        checkAnswer(operation.id, resource, result)
      return bodyAnswer(api.dialect, status, result, request)
    }
    throw new InvariantError(`${operation.id} makes no response`)
  }
  const { body, headers } =
    result instanceof WithHeaders ? result : { body: result, headers: undefined }
  if (api.checkAnswers === true) checkAnswer(operation.id, response, body)
  return bodyAnswer(api.dialect, status, body as object, request, headers) // as its schema says
}

function checkAnswer(id: string, schema: z.ZodType, result: unknown): void {
  const checked = schema.safeParse(result)
  if (checked.success) return
  throw new InvariantError(`${id} answers wrongly: ${z.prettifyError(checked.error)}`)
}

/** Returns the answer for an error that was thrown while the request was served. */
export function failureAnswer<Caller>(
  error: unknown,
  request: ApiRequest,
  api: Api<Caller>,
): TextAnswer {
  return errorAnswer(api.dialect, explain(error, request, api), request)
}

export function explain<Caller>(
  error: unknown,
  request: ApiRequest,
  api: Pick<Api<Caller>, 'dialect' | 'log'>,
): ErrorAnswer {
  const known = explainKnown(error, request, api)
  if (known !== undefined) return known
  api.log.error({ err: error, path: request.path }, 'a request failed')
  return refusalAnswer(api.dialect, { type: 'fault' }, request)
}

/** Returns the answer to an expected error; undefined for an internal one. */
export function explainKnown<Caller>(
  error: unknown,
  request: ApiRequest,
  { dialect }: Pick<Api<Caller>, 'dialect'>,
): ErrorAnswer | undefined {
  if (error instanceof RemoteNodeError) return error.answer
  if (error instanceof RefusedError) return refusalAnswer(dialect, error.refusal, request)
  if (error instanceof StorageUnavailableError)
    return refusalAnswer(dialect, { type: 'storage-unavailable', reason: error.message }, request)
  return dialect.explain(error, request)
}

/** The error answer of another node that ran a forwarded operation. */
export class RemoteNodeError extends Error {
  override readonly name = 'RemoteNodeError'
  readonly answer: ErrorAnswer
  constructor(answer: ErrorAnswer) {
    super('another node refused')
    this.answer = answer
  }
}

export function errorAnswer(dialect: Dialect, error: ErrorAnswer, request: ApiRequest): TextAnswer {
  return bodyAnswer(dialect, error.status, error.body, request, error.headers)
}

function bodyAnswer(
  dialect: Dialect,
  status: number,
  body: object,
  request: ApiRequest,
  more?: Readonly<Record<string, string>>,
): TextAnswer {
  const encoded = dialect.encode?.(body, request)
  const text = encoded === undefined ? writeJson(body) : encoded.text
  const own =
    encoded === undefined ? JSON_HEADERS : { ...NOSNIFF, 'content-type': encoded.mediaType }
  return { status, headers: more === undefined ? own : { ...own, ...more }, text }
}

/**
 * Writes a body as `JSON.stringify` does. The JSON of a frozen body, and of frozen records in its lists, is
 * cached for the object's lifetime: a frozen record must be deeply immutable.
 */
export function writeJson(body: object): string {
  if (Object.isFrozen(body)) return textOf(body)
  if (Array.isArray(body)) return listOf(body)
  const lists = Object.values(body).some(
    (value) => Array.isArray(value) && isRecord(value[0]) && Object.isFrozen(value[0]),
  )
  return lists ? `{${fieldsOf(body).join(',')}}` : JSON.stringify(body)
}

function fieldsOf(body: object): readonly string[] {
  return Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]: [string, unknown]) => {
      const text = Array.isArray(value) ? listOf(value) : JSON.stringify(value)
      return `${JSON.stringify(name)}:${text}`
    })
}

function listOf(items: readonly unknown[]): string {
  return `[${items.map((item) => itemOf(item)).join(',')}]`
}

function itemOf(item: unknown): string {
  // JSON.stringify is undefined for undefined; in a list it writes null.
  if (item === undefined) return 'null'
  return isRecord(item) && Object.isFrozen(item) ? textOf(item) : JSON.stringify(item)
}

function textOf(record: object): string {
  const known = texts.get(record)
  if (known !== undefined) return known
  const text = JSON.stringify(record)
  texts.set(record, text)
  return text
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function fileAnswer(file: Download): Response {
  return new Response(new Uint8Array(file.bytes), {
    headers: {
      ...NOSNIFF,
      'content-type': file.mimeType,
      // A browser saves the file and never shows it as a page of this server.
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.fileName)}`,
    },
  })
}
