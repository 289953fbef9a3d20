/** Runs operations of an API on the node that has what they are about. */
import type { NodeRequests } from '../nodes/node-requests.js'
import type { Api, Elsewhere } from './api.js'
import { ApiRequest, type RequestSource } from './api-request.js'
import type { ErrorAnswer } from './dialect.js'
import type { Operation, OperationRequest } from './operation.js'
import { ElsewhereError, explain } from './write-answer.js'

export interface ElsewhereDeps<Caller> {
  readonly api: Pick<Api<Caller>, 'base' | 'dialect' | 'gate' | 'log' | 'operations'>
  readonly nodeRequests: Pick<NodeRequests, 'on' | 'ask'>
  /** The caller of that name, which the gate gave; undefined when there is none any more. */
  readonly callerOf: (name: string) => Promise<Caller | undefined>
}

/** A request as it crosses to another node: plain JSON. Its body was checked where it came in. */
interface CrossingRequest {
  readonly operation: string
  readonly caller: string
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body?: unknown
  readonly given?: unknown
  readonly method: string
  readonly path: string
  readonly url: string
}

type Crossed =
  | { readonly type: 'result'; readonly result?: unknown }
  | { readonly type: 'error'; readonly answer: ErrorAnswer }

/** Makes the way to the other nodes, and runs what they ask for here. */
export function createElsewhere<Caller>(deps: ElsewhereDeps<Caller>): Elsewhere<Caller> {
  const { api, nodeRequests } = deps
  const kind = `operation of ${api.base}`
  const operations = new Map(api.operations.map((operation) => [operation.id, operation]))
  nodeRequests.on(kind, async (content, signal) => {
    const crossing = content as CrossingRequest // as `run` has written it
    const operation = operations.get(crossing.operation)
    const caller = await deps.callerOf(crossing.caller)
    if (operation === undefined || caller === undefined)
      throw new Error(`${crossing.operation} cannot be run here`)
    return await runHere(operation, caller, { ...crossing, signal }, api)
  })
  return {
    run: async (node, operation, request) => {
      const content = crossingOf(operation, request, api)
      const asker = content.caller
      const answer = await nodeRequests.ask({ asker, node, kind, content, ifLate: 'withdraw' })
      const crossed = answer as Crossed // as `runHere` of that node has written it
      if (crossed.type === 'error') throw new ElsewhereError(crossed.answer)
      return crossed.result
    },
  }
}

function crossingOf<Caller>(
  operation: Operation<Caller>,
  { caller, params, query, body, given, http }: OperationRequest<Caller>,
  { gate }: Pick<Api<Caller>, 'gate'>,
): CrossingRequest {
  const { method, path, origin, suffix } = http
  const format = suffix === undefined ? '' : `.${suffix}`
  const search = http.query === '' ? '' : `?${http.query}`
  const url = `${origin}${path}${format}${search}`
  const asked = { operation: operation.id, caller: gate.nameOf(caller) }
  return { ...asked, params, query, body, given, method, path, url }
}

async function runHere<Caller>(
  operation: Operation<Caller>,
  caller: Caller,
  crossing: CrossingRequest & Pick<RequestSource, 'signal'>,
  api: ElsewhereDeps<Caller>['api'],
): Promise<Crossed> {
  const { params, query, body, given } = crossing
  const http = new ApiRequest(sourceOf(crossing))
  try {
    const request = { caller, params, query, body, given, http }
    return { type: 'result', result: await operation.run(request, undefined) }
  } catch (error) {
    return { type: 'error', answer: explain(error, http, api) }
  }
}

/** The request as the operation may look at it; what it was read from stays where it came in. */
function sourceOf({
  method,
  path,
  url,
  params,
  signal,
}: CrossingRequest & Pick<RequestSource, 'signal'>): RequestSource {
  return {
    method,
    path,
    url,
    writtenUrl: url,
    peer: '',
    raw: new Request(url, { method }),
    signal,
    params: () => params,
    header: () => undefined,
  }
}
