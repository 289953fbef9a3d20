import type { OpenAPIHono, z } from '@hono/zod-openapi'
import { InvariantError } from '../errors.js'
import type { Logger } from '../log.js'
import type { ApiRequest } from './api-request.js'
import type { Dialect } from './dialect.js'
import type { Operation, OperationRequest } from './operation.js'

type SecurityScheme = Parameters<OpenAPIHono['openAPIRegistry']['registerComponent']>[2]

/** Decides who may call an API. */
export interface Gate<Caller> {
  /** The scheme of the credentials, for the description; undefined when the API asks for none. */
  readonly scheme: { readonly name: string; readonly definition: SecurityScheme } | undefined
  /**
   * Resolves with the caller. It throws the error for a request without valid credentials. `body` is
   * given to a gate that reads credentials there.
   */
  identify(request: ApiRequest, body?: unknown): Promise<Caller>
  /** True when credentials may be in the body, which is then read before the caller is known. */
  readonly readsBody?: boolean
  /** Throws the error for a caller who may not read, or not write, at this moment. */
  admit?(caller: Caller, rate: Operation<Caller>['rate']): void
  /** The name under which a caller's rates and idempotency keys are kept. */
  nameOf(caller: Caller): string
  /**
   * The name under which the idempotency keys of open operations are kept; without it those
   * operations take no key.
   */
  nameOfAnyone?(request: ApiRequest): string
  /** The caller's own limit of requests in a second; undefined: the limit of the API. */
  requestsPerSecond?(caller: Caller): number | undefined
}

/** Limits how often a caller may send requests. */
export interface Rates {
  /**
   * 0 when the request may go on, else the whole seconds to wait. `perSecond` is the caller's own
   * limit.
   */
  waitSeconds(caller: string, rate: 'read' | 'write', perSecond?: number): number
}

/** Limits how often one address may ask for an operation, whoever the caller is. */
export interface AddressLimit {
  /** Resolves with 0 when the request may go on, else with the whole seconds to wait. `name` names the limit. */
  waitSeconds(name: string, request: ApiRequest): Promise<number>
}

export interface KeyedRequest {
  readonly caller: string
  readonly key: string
  /** A digest of the method, path, query and body. */
  readonly digest: string
}

/** Runs a request with an `Idempotency-Key` once; a repeated one gets the same answer. */
export interface IdempotentRequests {
  /** The answer that an earlier request with the key got; undefined for none. Rejects as `once` does. */
  answerOf(request: KeyedRequest): Promise<Response | undefined>
  /**
   * Runs a request once. `isInOneCommit`: the answer is stored in one commit with all that `run`
   * writes; `run` then waits for nothing else.
   */
  once(
    request: KeyedRequest,
    isInOneCommit: boolean,
    run: () => Promise<Response>,
  ): Promise<Response>
}

/** An uploaded file. Disposing of it deletes the file unless an operation has taken it. */
export interface UploadedFile extends AsyncDisposable {
  readonly sha256: string
}

/** Runs operations at the node that owns their resource. */
export interface NodeRouting<Caller> {
  /**
   * Forwards the operation to the node; resolves with its result. Rejects with the answer of that
   * node (RemoteNodeError), or with NodeUnavailableError.
   */
  run(
    node: string,
    operation: Operation<Caller>,
    request: OperationRequest<Caller>,
  ): Promise<unknown>
}

export interface Api<Caller> {
  /** The prefix of every path, such as `/v2/csp`; empty for the root. */
  readonly base: string
  /** The heading of the API's operations in the description. */
  readonly tag: string
  readonly dialect: Dialect
  readonly gate: Gate<Caller>
  /** The operations. Where two paths match, the first one wins. */
  readonly operations: readonly Operation<Caller>[]
  /** Descriptions of path parameters, by name. */
  readonly params: Readonly<Record<string, z.ZodType>>
  /** Statuses of errors that every operation may answer. */
  readonly errors: readonly number[]
  /** True: a path with a slash at its end is the same as without it. */
  readonly ignoresLastSlash?: boolean
  /** True: callers are identified before they learn that a path does not exist. */
  readonly hidesPaths: boolean
  readonly log: Logger
  readonly rates?: Rates | undefined
  /** The limit of the operations that name one. */
  readonly addressLimit?: AddressLimit | undefined
  readonly idempotency?: IdempotentRequests | undefined
  /** Runs operations at other nodes; without it every operation runs here. */
  readonly nodeRouting?: NodeRouting<Caller> | undefined
  /** Reads the file of a multipart body; `caller` is the gate's name of the sender. */
  readonly readUpload?: ((request: Request, caller: string) => Promise<UploadedFile>) | undefined
  /** The limit of requests in progress; beyond it requests are refused. */
  readonly maxInProgress?: number | undefined
  /** True in tests: an answer that does not match its schema is a fault. */
  readonly checkAnswers?: boolean | undefined
}

/** The gate of an API whose operations all need no credentials. */
export const openGate: Gate<unknown> = {
  scheme: undefined,
  identify: () => Promise.reject(new InvariantError('every operation of this API is open')),
  nameOf: () => 'anyone',
}
