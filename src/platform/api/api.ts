import type { OpenAPIHono, z } from '@hono/zod-openapi'
import type { Logger } from '../log.js'
import type { ApiRequest } from './api-request.js'
import type { Dialect } from './dialect.js'
import type { Operation } from './operation.js'

type SecurityScheme = Parameters<OpenAPIHono['openAPIRegistry']['registerComponent']>[2]

/** Who may call an API. */
export interface Gate<Caller> {
  /** How credentials are sent, for the description; undefined: nobody is asked for any. */
  readonly scheme: { readonly name: string; readonly definition: SecurityScheme } | undefined
  /** Throws what a stranger is told. */
  identify(request: ApiRequest): Promise<Caller>
  /** Throws what a caller is told who may not read, or not write, at this moment. */
  admit?(caller: Caller, rate: Operation<Caller>['rate']): void
  /** Rates and idempotency keys of one caller are kept under this name. */
  nameOf(caller: Caller): string
}

/** How often a caller may ask. */
export interface Rates {
  /** 0 when the request may go on, else the whole seconds to wait. */
  waitSeconds(caller: string, rate: 'read' | 'write'): number
}

export interface KeyedRequest {
  readonly caller: string
  readonly key: string
  /** A digest of the method, path, query and body. */
  readonly digest: string
}

/** Requests with an `Idempotency-Key`: the same one happens once, and is answered alike. */
export interface IdempotentRequests {
  /** `isInOneCommit`: the answer is stored with all that `run` writes, which waits for nothing else. */
  once(
    request: KeyedRequest,
    isInOneCommit: boolean,
    run: () => Promise<Response>,
  ): Promise<Response>
}

/** An uploaded file; disposing of it deletes what nobody has taken. */
export interface UploadedFile extends AsyncDisposable {
  readonly sha256: string
}

export interface Api<Caller> {
  /** What each path begins with: `/v2/csp`; empty for the root. */
  readonly base: string
  /** The heading of its operations in the description. */
  readonly tag: string
  readonly dialect: Dialect
  readonly gate: Gate<Caller>
  /** What comes first wins where two paths match. */
  readonly operations: readonly Operation<Caller>[]
  /** Descriptions of path parameters, by name. */
  readonly params: Readonly<Record<string, z.ZodType>>
  /** Statuses of errors that every operation may answer. */
  readonly errors: readonly number[]
  /** True: callers are identified before they learn that a path does not exist. */
  readonly hidesPaths: boolean
  readonly log: Logger
  readonly rates?: Rates | undefined
  readonly idempotency?: IdempotentRequests | undefined
  /** Reads the file of a multipart body; `caller` is the gate's name of who sends it. */
  readonly readUpload?: ((request: Request, caller: string) => Promise<UploadedFile>) | undefined
  /** More requests at once than this are refused. */
  readonly maxInProgress?: number | undefined
  /** Tests: an answer that is not what its schema says is a fault of ours. */
  readonly checkAnswers?: boolean | undefined
}
