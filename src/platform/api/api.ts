import type { OpenAPIHono, z } from '@hono/zod-openapi'
import { InvariantError } from '../errors.js'
import type { Logger } from '../log.js'
import type { ApiRequest } from './api-request.js'
import type { Dialect } from './dialect.js'
import type { Operation, OperationRequest } from './operation.js'

type SecurityScheme = Parameters<OpenAPIHono['openAPIRegistry']['registerComponent']>[2]

/** Authenticates and authorizes the callers of an API. */
export interface Gate<Caller> {
  /** The security scheme for the API description; undefined when the API needs no credentials. */
  readonly scheme: { readonly name: string; readonly definition: SecurityScheme } | undefined
  /**
   * Resolves with the caller. Rejects for a request without valid credentials. `body` is given when
   * `readsBody`.
   */
  identify(request: ApiRequest, body?: unknown): Promise<Caller>
  /** True when credentials may be in the body; the body is then read before authentication. */
  readonly readsBody?: boolean
  /** Throws when the caller may not read, or not write, at this moment. */
  admit?(caller: Caller, rate: Operation<Caller>['rate']): void
  /** The name that a caller's rate limits and idempotency keys are stored under. */
  nameOf(caller: Caller): string
  /** The name that idempotency keys of open operations are stored under; without it they take no key. */
  nameOfAnyone?(request: ApiRequest): string
  /** The caller's own limit, requests per second; undefined: the limit of the API. */
  requestsPerSecond?(caller: Caller): number | undefined
}

/** Limits how often a caller may send requests. */
export interface Rates {
  /**
   * Returns 0 when the request may proceed, else whole seconds to wait. `perSecond`: the caller's own limit.
   */
  waitSeconds(caller: string, rate: 'read' | 'write', perSecond?: number): number
}

/** Limits how often one address may call an operation, whoever the caller is. */
export interface AddressLimit {
  /** Resolves with 0 when the request may proceed, else with whole seconds to wait. `name` names the limit. */
  waitSeconds(name: string, request: ApiRequest): Promise<number>
}

export interface KeyedRequest {
  readonly caller: string
  readonly key: string
  /** A digest of the method, path, query and body. */
  readonly digest: string
}

/** Runs a request with an `Idempotency-Key` once; repeated requests get the stored answer. */
export interface IdempotentRequests {
  /**
   * Resolves with the stored answer to an earlier request with the key; undefined if none. Rejects as `once`
   * does.
   */
  answerOf(request: KeyedRequest): Promise<Response | undefined>
  /**
   * Runs a request once. With `isInOneCommit` the answer is committed together with all writes of `run`, which
   * must wait for nothing but the database.
   */
  once(
    request: KeyedRequest,
    isInOneCommit: boolean,
    run: () => Promise<Response>,
  ): Promise<Response>
}

/** An uploaded file. Disposing it deletes the file unless an operation has taken it. */
export interface UploadedFile extends AsyncDisposable {
  readonly sha256: string
}

/** Runs operations at the node that owns their resource. */
export interface NodeRouting<Caller> {
  /**
   * Forwards the operation to the node and resolves with its result. Rejects with RemoteNodeError (that node's
   * error answer) or NodeUnavailableError.
   */
  run(
    node: string,
    operation: Operation<Caller>,
    request: OperationRequest<Caller>,
  ): Promise<unknown>
}

export interface Api<Caller> {
  /** Prefix of every path, such as `/v2/csp`; empty for the root. */
  readonly base: string
  /** Heading of the API's operations in the description. */
  readonly tag: string
  readonly dialect: Dialect
  readonly gate: Gate<Caller>
  /** The operations; where two paths match, the first one wins. */
  readonly operations: readonly Operation<Caller>[]
  /** Schemas of path parameters, by name. */
  readonly params: Readonly<Record<string, z.ZodType>>
  /** Error statuses that every operation may answer. */
  readonly errors: readonly number[]
  /** True when a path with a trailing slash is the same as without it. */
  readonly ignoresLastSlash?: boolean
  /** True when callers must authenticate before they get a 404 for an unknown path. */
  readonly hidesPaths: boolean
  readonly log: Logger
  readonly rates?: Rates | undefined
  /** The address limit for the operations that name one. */
  readonly addressLimit?: AddressLimit | undefined
  readonly idempotency?: IdempotentRequests | undefined
  /** Runs operations on other nodes; without it every operation runs here. */
  readonly nodeRouting?: NodeRouting<Caller> | undefined
  /** Reads the file of a multipart body; `caller` is the name from `Gate.nameOf`. */
  readonly readUpload?: ((request: Request, caller: string) => Promise<UploadedFile>) | undefined
  /** Maximum number of requests in progress; further requests are refused. */
  readonly maxInProgress?: number | undefined
  /** True in tests: an answer that does not match its schema is an error. */
  readonly checkAnswers?: boolean | undefined
}

/** The gate of an API whose operations all need no credentials. */
export const openGate: Gate<unknown> = {
  scheme: undefined,
  identify: () => Promise.reject(new InvariantError('every operation of this API is open')),
  nameOf: () => 'anyone',
}
