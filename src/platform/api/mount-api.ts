import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Api } from './api.js'
import { ApiRequest, type RequestSource } from './api-request.js'
import type { DescribedApp } from './described-app.js'
import { RefusedError, refusalAnswer } from './dialect.js'
import { describeApi } from './openapi.js'
import type { Operation } from './operation.js'
import { InProgress, OperationServer } from './serve-operation.js'
import { type Answer, errorAnswer, failureAnswer, toResponse } from './write-answer.js'

/** Serves and describes the operations of `api`; refuses every other path below its base. */
export function mountApi<Caller>(app: DescribedApp, api: Api<Caller>): void {
  const inProgress = new InProgress(api.maxInProgress ?? Number.POSITIVE_INFINITY)
  app.describeLater((registry) => {
    describeApi(registry, api)
  })
  for (const operation of api.operations) {
    const target = targetReader(operation, api.operations)
    const server = new OperationServer(operation, api, inProgress, target)
    for (const path of servedPaths(operation, api)) {
      app.on(operation.method.toUpperCase(), honoPath(api.base + path), async (context) =>
        toResponse(await server.answer(new ApiRequest(new ContextSource(context)))),
      )
      if (operation.method === 'get')
        app.lane.add(api.base + path, isFile(operation.response) ? undefined : server)
    }
  }
  const methods = new MethodTable(api)
  app.all(`${api.base}/*`, async (context) =>
    toResponse(await refuse(new ApiRequest(new ContextSource(context)), methods, api)),
  )
  app.lane.close(`${api.base}/`)
}

/** A request that came through the router. */
class ContextSource implements RequestSource {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  get method(): string {
    return this.#context.req.method
  }

  get path(): string {
    return this.#context.req.path
  }

  get url(): string {
    return this.#context.req.url
  }

  get writtenUrl(): string {
    return this.#incoming?.url ?? this.#context.req.url
  }

  get peer(): string {
    return this.#incoming?.socket.remoteAddress ?? ''
  }

  get raw(): Request {
    return this.#context.req.raw
  }

  get signal(): AbortSignal {
    return this.#context.req.raw.signal
  }

  params(): Readonly<Record<string, string>> {
    return this.#context.req.param()
  }

  header(name: string): string | undefined {
    return this.#context.req.header(name)
  }

  /** The request from the socket; undefined when it came over none. */
  get #incoming(): HttpBindings['incoming'] | undefined {
    return (this.#context.env as Partial<HttpBindings> | undefined)?.incoming
  }
}

/**
 * Returns the GET operation of the path that `operation` changes or adds to. A GET that answers with a file is
 * left out: it is too costly for a mere 404.
 */
function targetReader<Caller>(
  { method, path, isOpen, makesTarget }: Operation<Caller>,
  operations: readonly Operation<Caller>[],
): Operation<Caller> | undefined {
  if (method === 'get' || isOpen || makesTarget === true || !path.includes('{')) return undefined
  return operations.find(
    (other) => other.method === 'get' && other.path === path && !isFile(other.response),
  )
}

function isFile(response: Operation<never>['response']): boolean {
  return response === 'file' || (typeof response === 'object' && 'mediaTypes' in response)
}

export function pathsOf({
  path,
  aliases,
}: Pick<Operation<never>, 'path' | 'aliases'>): readonly string[] {
  return [path, ...aliases]
}

/**
 * Returns the paths at which an operation is served: those described, and their variants with or without a
 * trailing slash.
 */
function servedPaths(
  operation: Pick<Operation<never>, 'path' | 'aliases'>,
  { ignoresLastSlash }: Pick<Api<never>, 'ignoresLastSlash'>,
): readonly string[] {
  const paths = pathsOf(operation)
  if (ignoresLastSlash !== true) return paths
  return [...new Set(paths.flatMap((path) => [path.replace(/\/$/, ''), path.replace(/\/?$/, '/')]))]
}

/** Returns a function that is true for requests of `api` that upload a file. */
export function uploadsOf<Caller>({
  base,
  operations,
}: Pick<Api<Caller>, 'base' | 'operations'>): (method: string, path: string) => boolean {
  const patterns = operations
    .filter(({ body }) => body === 'multipart' || body === 'csv')
    .flatMap((operation) => pathsOf(operation).map((path) => pathPattern(base + path)))
  return (method, path) => method === 'POST' && patterns.some((each) => each.test(path))
}

/** Returns a RegExp for the paths of a template such as `/brand/{brandId}`. */
export function pathPattern(template: string): RegExp {
  const literal = template.replaceAll(/[.+*?^$()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

async function refuse<Caller>(
  request: ApiRequest,
  methods: MethodTable,
  api: Api<Caller>,
): Promise<Answer> {
  try {
    if (api.hidesPaths) await api.gate.identify(request)
  } catch (error) {
    return failureAnswer(error, request, api)
  }
  const allow = methods.allowedAt(request.path)
  if (allow === undefined)
    return failureAnswer(new RefusedError({ type: 'unknown-path' }), request, api)
  const answer = refusalAnswer(api.dialect, { type: 'wrong-method' }, request)
  // RFC 9110 §15.5.6: a 405 lists the allowed methods.
  const headers = { ...answer.headers, allow }
  return errorAnswer(api.dialect, { ...answer, headers }, request)
}

/** The allowed methods of each path. */
class MethodTable {
  readonly #paths: { readonly pattern: RegExp; readonly methods: Set<string> }[] = []

  constructor(api: {
    readonly base: string
    readonly operations: readonly Operation<never>[]
    readonly ignoresLastSlash?: boolean
  }) {
    const byTemplate = new Map<string, Set<string>>()
    for (const operation of api.operations) {
      for (const path of servedPaths(operation, api)) {
        const template = (api.base + path).replaceAll(/\{\w+\}/g, '{_}')
        const methods = byTemplate.get(template) ?? new Set<string>()
        byTemplate.set(template, methods.add(operation.method.toUpperCase()))
        if (operation.method === 'get') methods.add('HEAD')
      }
    }
    for (const [template, methods] of byTemplate)
      this.#paths.push({ pattern: pathPattern(template), methods })
  }

  /** Returns the value of `Allow` for a path; undefined for an unknown path. */
  allowedAt(path: string): string | undefined {
    const found = this.#paths.filter(({ pattern }) => pattern.test(path))
    if (found.length === 0) return undefined
    const methods = new Set(found.flatMap((each) => [...each.methods]))
    return [...methods].sort().join(', ')
  }
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
