/** Describes an operation for `/openapi.json`, from its declaration. Pure. */
import { createRoute, type OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import type { Api } from './api.js'
import { type Refusal, type RefusedRequest, refusalAnswer } from './dialect.js'
import { isRawAnswer, type Operation } from './operation.js'
import { mediaTypeOf } from './read-body.js'

type Registry = OpenAPIHono['openAPIRegistry']

/** The parts of an API that determine its errors. */
type DescribedApi<Caller> = Pick<
  Api<Caller>,
  'errors' | 'dialect' | 'gate' | 'idempotency' | 'maxInProgress'
>

/** The schemas of an error's body, by media type. */
type ErrorContent = Readonly<Record<string, z.ZodType>>

const PAGE: ErrorContent = { 'text/html': z.string() }

const SOME_REQUEST: RefusedRequest = { method: 'POST', path: '/', origin: 'http://localhost' }

export function describeApi<Caller>(registry: Registry, api: Api<Caller>): void {
  const { scheme } = api.gate
  if (scheme !== undefined)
    registry.registerComponent('securitySchemes', scheme.name, scheme.definition)
  for (const operation of api.operations) {
    registry.registerPath(describeOperation(operation, operation.path, operation.id, api))
    for (const [index, path] of operation.aliases.entries())
      registry.registerPath(
        describeOperation(operation, path, `${operation.id}_alias${index + 1}`, api),
      )
  }
}

function describeOperation<Caller>(
  operation: Operation<Caller>,
  path: string,
  operationId: string,
  api: Api<Caller>,
): RouteConfig {
  return createRoute({
    method: operation.method,
    path: api.base + path,
    operationId,
    summary: operation.summary,
    tags: [api.tag],
    security:
      operation.isOpen || api.gate.scheme === undefined ? [] : [{ [api.gate.scheme.name]: [] }],
    request: requestOf(operation, path, api),
    responses: { ...successOf(operation, api), ...failuresOf(operation, api) },
    ...(operation.description === undefined ? {} : { description: operation.description }),
  })
}

type Described = NonNullable<RouteConfig['request']>

function requestOf<Caller>(
  operation: Operation<Caller>,
  path: string,
  api: Api<Caller>,
): Described {
  const request: { -readonly [Key in keyof Described]: Described[Key] } = {}
  const params = paramsOf(operation, path, api)
  if (params !== undefined) request.params = params
  if (operation.query instanceof z.ZodObject) request.query = operation.query
  if (takesKey(operation, api)) request.headers = idempotencyHeader
  const body = bodyOf(operation, api)
  if (body !== undefined) request.body = body
  return request
}

const idempotencyHeader = z.object({
  'Idempotency-Key': z.string().min(1).max(255).optional().openapi({
    description: 'The same request with the same key happens once, within 24 hours.',
  }),
})

function paramsOf<Caller>(operation: Operation<Caller>, path: string, api: Api<Caller>) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  if (names.length === 0) return undefined
  return z.object(
    Object.fromEntries(
      names.map((name) => [name, operation.params[name] ?? api.params[name] ?? z.string()]),
    ),
  )
}

const fileBody = z.object({
  file: z.string().openapi({ format: 'binary', description: 'The file, one for each request.' }),
})

function bodyOf<Caller>(operation: Operation<Caller>, api: Api<Caller>): Described['body'] {
  const { body: schema } = operation
  if (schema === undefined) return undefined
  if (schema === 'multipart')
    return { required: true, content: { 'multipart/form-data': { schema: fileBody } } }
  if (schema === 'csv') return { required: true, content: { 'text/csv': { schema: z.string() } } }
  const formats = operation.formats ?? api.dialect.formats
  const content = Object.fromEntries(formats.map((each) => [mediaTypeOf(each), { schema }]))
  return { required: !schema.safeParse({}).success, content }
}

function successOf<Caller>(
  { response, status }: Operation<Caller>,
  { dialect }: Api<Caller>,
): RouteConfig['responses'] {
  if (response === undefined) return { [status]: { description: 'Done.' } }
  if (response === 'file')
    return { [status]: { description: 'The file.', content: rawContent(['*/*']) } }
  if (response === 'text')
    return { [status]: { description: 'Text.', content: rawContent(['text/plain']) } }
  if (isRawAnswer(response)) {
    const answers = Object.entries({ [status]: response, ...response.further })
    return Object.fromEntries(
      answers.map(([each, { description, mediaTypes, resource }]) => [
        each,
        { description, content: rawContent(mediaTypes, resource) },
      ]),
    )
  }
  const types = ['application/json', ...(dialect.encodedTypes ?? [])]
  return { [status]: { description: 'Success.', content: rawContent(types, response) } }
}

function rawContent(mediaTypes: readonly string[], resource: z.ZodType = z.string()) {
  const schemaOf = (type: string) => (type === 'application/json' ? resource : z.string())
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema: schemaOf(type) }]))
}

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request is wrong: the error says where.',
  401: 'The credentials are missing or wrong.',
  403: 'The caller may not do this.',
  404: 'There is no such resource.',
  409: 'The state of the resource does not allow this.',
  413: 'The body is too large.',
  415: 'The body has a content coding.',
  429: 'Too many requests: `Retry-After` says how many seconds to wait.',
  503: 'Not possible at this moment: `Retry-After` says when to try again.',
}

function failuresOf<Caller>(
  operation: Operation<Caller>,
  api: Api<Caller>,
): RouteConfig['responses'] {
  return Object.fromEntries(
    [...errorsOf(operation, api)].map(([status, schemas]) => {
      const content = Object.entries(schemas).map(([type, schema]) => [type, { schema }])
      const description = MEANINGS[status] ?? 'The error.'
      return [status, { description, content: Object.fromEntries(content) as Content }]
    }),
  )
}

/** Returns a description of each error, by status. */
function errorsOf<Caller>(
  operation: Operation<Caller>,
  api: DescribedApi<Caller>,
): ReadonlyMap<number, ErrorContent> {
  const { problem, problems = {} } = api.dialect
  const errors = new Map<number, ErrorContent>()
  for (const status of [...commonTo(operation, api.errors), ...refusedWith(operation, api)])
    errors.set(status, contentOf(problems[status] ?? problem, api))
  for (const status of operation.errors) {
    const own = contentOf(operation.problems?.[status] ?? problems[status] ?? problem, api)
    errors.set(status, answersPages(operation) ? { ...errors.get(status), ...PAGE } : own)
  }
  return errors
}

/** An error's body in each media type of the dialect. */
function contentOf<Caller>(problem: z.ZodType, { dialect }: DescribedApi<Caller>): ErrorContent {
  const { problemType = 'application/json', encodedTypes = [] } = dialect
  const encoded = Object.fromEntries(encodedTypes.map((type) => [type, z.string()]))
  return { [problemType]: problem, ...encoded }
}

/** True when the operation obeys an `Idempotency-Key`. */
function takesKey<Caller>(
  { idempotency, isOpen }: Operation<Caller>,
  api: Pick<Api<Caller>, 'idempotency' | 'gate'>,
): boolean {
  if (idempotency === 'own') return true
  const isKept = api.idempotency !== undefined && idempotency !== 'none'
  return isKept && (!isOpen || api.gate.nameOfAnyone !== undefined)
}

/** True for an operation whose errors are also HTML pages, since people open its links. */
function answersPages<Caller>({ response }: Operation<Caller>): boolean {
  return isRawAnswer(response) && response.mediaTypes.includes('text/html')
}

/** Drops 401 and 403 for open operations; one that checks credentials itself declares them. */
function commonTo<Caller>({ isOpen }: Operation<Caller>, errors: readonly number[]) {
  return errors.filter((status) => !isOpen || (status !== 401 && status !== 403))
}

/** Returns the statuses of refusals of the operation, as the dialect answers them. */
function refusedWith<Caller>(
  operation: Operation<Caller>,
  api: DescribedApi<Caller>,
): readonly number[] {
  const refusals: Refusal[] = []
  if (operation.body !== undefined)
    refusals.push({ type: 'body-too-large', maxBytes: 0 }, { type: 'coded-body' })
  if (takesKey(operation, api))
    refusals.push(
      { type: 'bad-idempotency-key', maxChars: 0 },
      { type: 'idempotency-key-reused' },
      { type: 'idempotency-key-in-use' },
    )
  if (api.maxInProgress !== undefined) refusals.push({ type: 'overloaded' })
  return refusals.map((refusal) => refusalAnswer(api.dialect, refusal, SOME_REQUEST).status)
}

type Content = Readonly<Record<string, { readonly schema: z.ZodType }>>
