/** Routes API operations to the node that owns their resource, such as a live call or a conference. */
import type { NodeRequests } from '../nodes/node-requests.js'
import type { Api, NodeRouting } from './api.js'
import { ApiRequest, type RequestSource } from './api-request.js'
import type { ErrorAnswer } from './dialect.js'
import type { Operation, OperationRequest } from './operation.js'
import { explain, RemoteNodeError } from './write-answer.js'

export interface NodeRoutingDeps<Caller> {
  readonly api: Pick<Api<Caller>, 'base' | 'dialect' | 'gate' | 'log' | 'operations'>
  readonly nodeRequests: Pick<NodeRequests, 'on' | 'ask'>
  /** Resolves with the caller of a name from `Gate.nameOf`; undefined when it no longer exists. */
  readonly callerOf: (name: string) => Promise<Caller | undefined>
}

/** A request as it is forwarded to another node: plain JSON, its body validated by the sender. */
interface ForwardedRequest {
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

type ForwardedAnswer =
  | { readonly type: 'result'; readonly result?: unknown }
  | { readonly type: 'error'; readonly answer: ErrorAnswer }

/** Forwards operations to other nodes and runs those that other nodes forward here. */
export function createNodeRouting<Caller>(deps: NodeRoutingDeps<Caller>): NodeRouting<Caller> {
  const { api, nodeRequests } = deps
  const kind = `operation of ${api.base}`
  const operations = new Map(api.operations.map((operation) => [operation.id, operation]))
  nodeRequests.on(kind, async (content, signal) => {
    const forwarded = content as ForwardedRequest // as `run` has written it
    const operation = operations.get(forwarded.operation)
    const caller = await deps.callerOf(forwarded.caller)
    if (operation === undefined || caller === undefined)
      throw new Error(`${forwarded.operation} cannot be run here`)
    return await runHere(operation, caller, { ...forwarded, signal }, api)
  })
  return {
    run: async (node, operation, request) => {
      const content = toForward(operation, request, api)
      const asker = content.caller
      const asked = { asker, node, kind, content, ifLate: 'withdraw' } as const
      const answer = (await nodeRequests.ask(asked)) as ForwardedAnswer // as `runHere` there has written it
      if (answer.type === 'error') throw new RemoteNodeError(answer.answer)
      return answer.result
    },
  }
}

function toForward<Caller>(
  operation: Operation<Caller>,
  { caller, params, query, body, given, http }: OperationRequest<Caller>,
  { gate }: Pick<Api<Caller>, 'gate'>,
): ForwardedRequest {
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
  forwarded: ForwardedRequest & Pick<RequestSource, 'signal'>,
  api: NodeRoutingDeps<Caller>['api'],
): Promise<ForwardedAnswer> {
  const { params, query, body, given } = forwarded
  const http = new ApiRequest(sourceOf(forwarded))
  try {
    const request = { caller, params, query, body, given, http }
    return { type: 'result', result: await operation.run(request, undefined) }
  } catch (error) {
    return { type: 'error', answer: explain(error, http, api) }
  }
}

/** A forwarded request for an operation: without a peer, headers or a raw body. */
function sourceOf({
  method,
  path,
  url,
  params,
  signal,
}: ForwardedRequest & Pick<RequestSource, 'signal'>): RequestSource {
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
