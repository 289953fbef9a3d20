import { createRoute, OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Account, Accounts } from '../../accounts/accounts.js'
import { InvariantError } from '../../platform/errors.js'
import type { Logger } from '../../platform/log.js'
import { type Problem, problem, RegistryError, refuse } from '../model/registry-error.js'
import type { Upload } from '../services/files/attachments.js'
import type { Csp } from '../storage/csps.js'
import type { IdempotencyKeys } from './idempotency.js'
import { type Download, type Operation, paramReader } from './operation.js'
import type { RateLimiter } from './rate-limit.js'
import { readJson } from './read-body.js'
import { errorArray } from './schemas.js'

export const BASE = '/v2/csp'

export interface MountDeps {
  readonly accounts: Accounts
  /** The account's CSP, made when it has none yet. */
  readonly cspOf: (account: Account) => Promise<Csp>
  readonly readUpload: (request: Request) => Promise<Upload>
  readonly rates: RateLimiter
  readonly idempotency: IdempotencyKeys
  readonly log: Logger
  /** Tests: an answer that is not what its schema says is an error of ours. */
  readonly checkResponses: boolean
}

/** Serves the operations below /v2/csp, with the registry's authentication and error arrays. */
export function mountOperations(
  operations: readonly Operation[],
  deps: MountDeps,
): (app: OpenAPIHono) => void {
  const api = new OpenAPIHono()
  api.openAPIRegistry.registerComponent('securitySchemes', 'registryKey', {
    type: 'http',
    scheme: 'bearer',
    description: "The account's secret of 32 hex characters.",
  })
  for (const operation of operations) {
    for (const path of [operation.path, ...operation.aliases]) {
      api.on(operation.method.toUpperCase(), honoPath(BASE + path), (c) =>
        serve(operation, c, deps),
      )
    }
    api.openAPIRegistry.registerPath(document(operation))
  }
  api.all(`${BASE}/*`, (c) =>
    errorResponse(404, [problem(502, [], `there is no ${c.req.method} ${c.req.path}`)]),
  )
  api.onError((error, c) => {
    if (error instanceof RegistryError) return errorResponse(400, error.problems)
    deps.log.error({ err: error, path: c.req.path }, 'a registry request failed')
    return errorResponse(500, [problem(590, [], 'internal error')])
  })
  return (app) => app.route('/', api)
}

/** Whether a request is one of an operation that takes a file. */
export function uploadsAmong(
  operations: readonly Operation[],
): (method: string, path: string) => boolean {
  const paths = operations
    .filter(({ body }) => body === 'multipart')
    .flatMap(({ path, aliases }) => [path, ...aliases])
    .map((path) => new RegExp(`^${BASE}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`))
  return (method, path) => method === 'POST' && paths.some((each) => each.test(path))
}

async function serve(operation: Operation, c: Context, deps: MountDeps): Promise<Response> {
  const account = await authenticated(c, deps.accounts)
  if (account instanceof Response) return account
  const csp = await deps.cspOf(account)
  const isRead = operation.method === 'get'
  const waitSeconds = deps.rates.take(csp.cspId, isRead ? 'read' : 'write')
  if (waitSeconds > 0) return tooMany(waitSeconds)
  if (!isRead && csp.status !== 'ACTIVE') throw refuse(504, [], 'the CSP is suspended')
  const query = parse(operation.query, queryOf(c.req.url), 'query')
  const { body, file } = await bodyOf(operation, c.req.raw, deps)
  await using _ = file // what nobody has taken goes with the request
  const run = async (): Promise<Response> => {
    const param = paramReader(c.req.param())
    const result = await operation.run({
      csp,
      param,
      query,
      body,
      file: () => file ?? missingFile(),
      signal: c.req.raw.signal,
    })
    return response(operation, result, deps.checkResponses)
  }
  const key = c.req.header('idempotency-key')
  if (isRead || key === undefined || key === '') return await run()
  const content = file === undefined ? JSON.stringify(body ?? null) : file.sha256
  const named = { cspId: csp.cspId, key, what: `${c.req.method} ${c.req.path}`, content }
  return await deps.idempotency.once(named, async () => {
    try {
      return await run()
    } catch (error) {
      if (error instanceof RegistryError) return errorResponse(400, error.problems)
      throw error
    }
  })
}

async function authenticated(c: Context, accounts: Accounts): Promise<Account | Response> {
  const given = /^Bearer ([0-9a-fA-F]{32})$/i.exec(c.req.header('authorization') ?? '')?.[1]
  const account = given === undefined ? undefined : await accounts.findBySecret(given.toLowerCase())
  if (account === undefined) {
    return errorResponse(401, [problem(202, [], 'User not authenticated')], {
      'WWW-Authenticate': 'Bearer realm="Registry"',
    })
  }
  if (account.status !== 'active')
    return errorResponse(403, [problem(205, [], 'Unauthorized operation: account is not active')])
  return account
}

function tooMany(waitSeconds: number): Response {
  return errorResponse(
    429,
    [problem(591, [], `too many requests: try again in ${waitSeconds} s`)],
    { 'Retry-After': String(waitSeconds) },
  )
}

function missingFile(): never {
  throw new InvariantError('the operation has no multipart body')
}

interface ReadBody {
  readonly body?: unknown
  readonly file?: Upload
}

async function bodyOf(operation: Operation, raw: Request, deps: MountDeps): Promise<ReadBody> {
  if (operation.body === undefined) return {}
  if (operation.body === 'multipart') return { file: await deps.readUpload(raw) }
  return { body: parse(operation.body, await readJson(raw), 'body') }
}

/** All that is wrong comes at once, one entry a field, code 501. */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  whole: string,
): z.infer<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const byField = new Map<string, Problem>()
  for (const issue of result.error.issues) {
    const field = String(issue.path[0] ?? whole)
    if (!byField.has(field)) byField.set(field, problem(501, [field], `${field}: ${issue.message}`))
  }
  throw new RegistryError([...byField.values()])
}

function queryOf(url: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null) as Record<
    string,
    string | string[]
  >
  for (const [name, value] of new URL(url).searchParams) {
    const before = query[name]
    if (before === undefined) query[name] = value
    else if (Array.isArray(before)) before.push(value)
    else query[name] = [before, value]
  }
  return query
}

function response(operation: Operation, result: unknown, isChecked: boolean): Response {
  if (operation.response === undefined) return new Response(null, { status: 204 })
  if (operation.response === 'file') return fileResponse(result as Download) // what `file` means
  if (operation.response === 'text') return new Response(String(result))
  if (isChecked) {
    const checked = operation.response.safeParse(result)
    if (!checked.success)
      throw new InvariantError(`${operation.id} answers wrongly: ${z.prettifyError(checked.error)}`)
  }
  return Response.json(result)
}

function fileResponse(file: Download): Response {
  return new Response(new Uint8Array(file.bytes), {
    headers: {
      'Content-Type': file.mimeType,
      // Never shown by a browser as a page of ours.
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.fileName)}`,
      'X-Content-Type-Options': 'nosniff',
    },
  })
}

function errorResponse(
  status: number,
  problems: readonly Problem[],
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body = problems.map(({ code, description, fields }) => ({ code, description, fields }))
  return Response.json(body, { status, headers })
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function document(operation: Operation): RouteConfig {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
  const params = z.object(Object.fromEntries(names.map((name) => [name, z.string()])))
  const problems = {
    description: 'What is wrong',
    content: { 'application/json': { schema: errorArray } },
  }
  const fileBody = z.object({ file: z.string().openapi({ format: 'binary' }) })
  const body =
    operation.body === undefined
      ? {}
      : operation.body === 'multipart'
        ? { body: { content: { 'multipart/form-data': { schema: fileBody } } } }
        : { body: { content: { 'application/json': { schema: operation.body } } } }
  const query = operation.query instanceof z.ZodObject ? { query: operation.query } : {}
  return createRoute({
    method: operation.method,
    path: BASE + operation.path,
    operationId: operation.id,
    tags: ['10DLC registry'],
    security: [{ registryKey: [] }],
    request: { ...(names.length > 0 ? { params } : {}), ...query, ...body },
    responses: {
      ...success(operation.response),
      400: problems,
      401: problems,
      429: problems,
    },
  })
}

function success(schema: Operation['response']): RouteConfig['responses'] {
  if (schema === undefined) return { 204: { description: 'Done' } }
  if (schema === 'file') return { 200: { description: 'The file' } }
  if (schema === 'text') return { 200: { description: 'Text' } }
  return { 200: { description: 'Success', content: { 'application/json': { schema } } } }
}
