import { z } from '@hono/zod-openapi'
import type { ApiRequest } from './api-request.js'

export type OperationMethod = 'get' | 'post' | 'put' | 'patch' | 'delete'
export type BodyFormat = 'form' | 'json'

/** Parameter names of a path: `campaignId` of `/campaign/{campaignId}`. */
export type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never

export interface OperationRequest<
  Caller,
  Params = Readonly<Record<string, string>>,
  Query = unknown,
  Body = unknown,
> {
  readonly caller: Caller
  /** Decoded values of the path parameters. */
  readonly params: Params
  readonly query: Query
  /** The parsed body, or the uploaded file of a multipart body. */
  readonly body: Body
  /** The body before validation: all fields of a form. */
  readonly given: unknown
  /** The request itself, for headers and the format suffix. */
  readonly http: ApiRequest
}

/** An answer that is a file to download. */
export interface Download {
  readonly fileName: string
  readonly mimeType: string
  readonly bytes: Buffer
}

/** An answer with additional headers. */
export class WithHeaders {
  readonly body: object
  readonly headers: Readonly<Record<string, string>>

  constructor(body: object, headers: Readonly<Record<string, string>>) {
    this.body = body
    this.headers = headers
  }
}

/** An answer that the operation writes itself, in one of these media types. */
export interface RawAnswer {
  readonly mediaTypes: readonly string[]
  readonly description: string
  /** Schema of the JSON answer; undefined when the answer is not JSON. */
  readonly resource?: z.ZodType
  /** Its answers with other statuses, by status; none is an error of the dialect. */
  readonly further?: Readonly<Record<number, Omit<RawAnswer, 'further'>>>
}

/** The documented error number of a field; absence and length may have their own. */
export interface FieldError {
  readonly invalid: number
  readonly missing?: number
  readonly tooLong?: number
}
export type FieldErrors = Readonly<Record<string, FieldError>>

/**
 * When the answer for an `Idempotency-Key` is stored. `in-one-commit`: with all writes of the operation.
 * `after`: when the operation has ended, for one that waits for other servers. `own`: by the operation itself.
 * `none`: the header is ignored.
 */
export type Idempotency = 'in-one-commit' | 'after' | 'own' | 'none'

/**
 * One operation of an API, declared once: routing, parsing, limits, `/openapi.json` and the table in `docs/`
 * derive from it.
 */
export interface Operation<Caller> {
  readonly id: string
  readonly summary: string
  readonly description: string | undefined
  readonly method: OperationMethod
  /** Path below the API's base, with parameters in braces. */
  readonly path: string
  /** Other paths of the same operation. */
  readonly aliases: readonly string[]
  /** True when the operation needs no credentials. */
  readonly isOpen: boolean
  /** The operation's name in the specification; undefined for an extension. */
  readonly row: string | undefined
  /** Schemas of path parameters whose meaning differs from the API's own. */
  readonly params: Readonly<Record<string, z.ZodType>>
  readonly query: z.ZodType
  /** `csv`: the operation reads the body itself, as a stream. */
  readonly body: z.ZodType | 'multipart' | 'csv' | undefined
  /** Body formats; undefined for those of the API. */
  readonly formats: readonly BodyFormat[] | undefined
  readonly fieldErrors: FieldErrors
  /** Status of success: 204 without a response, else 200, unless declared otherwise. */
  readonly status: number
  readonly response: z.ZodType | RawAnswer | 'file' | 'text' | undefined
  /** Documented error statuses beyond those of the API. */
  readonly errors: readonly number[]
  /** Schemas of error bodies other than the dialect's, by status. */
  readonly problems: Readonly<Record<number, z.ZodType>> | undefined
  readonly rate: 'read' | 'write'
  /** Name of the address limit that the operation counts for; operations with one name share it. */
  readonly addressLimit: string | undefined
  readonly idempotency: Idempotency
  /** True when the path may name a resource that the operation creates. */
  readonly makesTarget: boolean | undefined
  /** Throws when the request fails whatever its body holds; called before the body is read. */
  readonly beforeBody: ((request: BodilessRequest<Caller>) => Promise<unknown>) | undefined
  /**
   * Resolves with the name of another node that owns the resource; that node then runs the operation. Such an
   * operation has no `prepare` and makes no file.
   */
  readonly runsAt: ((request: BodilessRequest<Caller>) => Promise<string | undefined>) | undefined
  /** Does the work that waits for anything but the database, before the one commit of `run`. */
  readonly prepare: ((request: OperationRequest<Caller>) => Promise<unknown>) | undefined
  readonly run: (request: OperationRequest<Caller>, prepared: unknown) => unknown
}

/** The parts of a request that are known before its body is read. */
export type BodilessRequest<Caller, Params = Readonly<Record<string, string>>> = Pick<
  OperationRequest<Caller, Params>,
  'caller' | 'params'
>

export interface OperationSpec<
  Caller,
  Path extends string,
  Query extends z.ZodType,
  Body extends z.ZodType | 'multipart' | 'csv',
  Upload,
  Prepared = undefined,
> {
  readonly id: string
  readonly summary: string
  readonly description?: string
  readonly method: OperationMethod
  readonly path: Path
  readonly aliases?: readonly string[]
  readonly isOpen?: boolean
  readonly row?: string
  readonly params?: Operation<Caller>['params']
  readonly query?: Query
  readonly body?: Body
  readonly formats?: readonly BodyFormat[]
  readonly fieldErrors?: FieldErrors
  readonly status?: number
  readonly response?: Operation<Caller>['response']
  readonly errors?: readonly number[]
  readonly problems?: Operation<Caller>['problems']
  readonly addressLimit?: string
  readonly idempotency?: Idempotency
  readonly makesTarget?: boolean
  readonly beforeBody?: (
    request: BodilessRequest<Caller, Readonly<Record<ParamNames<Path>, string>>>,
  ) => Promise<unknown>
  readonly runsAt?: (
    request: BodilessRequest<Caller, Readonly<Record<ParamNames<Path>, string>>>,
  ) => Promise<string | undefined>
  readonly prepare?: (
    request: SpecifiedRequest<Caller, Path, Query, Body, Upload>,
  ) => Promise<Prepared>
  readonly run: (
    request: SpecifiedRequest<Caller, Path, Query, Body, Upload>,
    prepared: Prepared,
  ) => unknown
}

/** A request with the types of its operation's declaration. */
type SpecifiedRequest<
  Caller,
  Path extends string,
  Query extends z.ZodType,
  Body extends z.ZodType | 'multipart' | 'csv',
  Upload,
> = OperationRequest<
  Caller,
  Readonly<Record<ParamNames<Path>, string>>,
  z.infer<Query>,
  Body extends z.ZodType ? z.infer<Body> : Upload
>

const nothing = z.object({})

/** Returns the `operation()` of an API with these callers and uploaded files. */
export function operationsOf<Caller, Upload = never>() {
  return function operation<
    const Path extends string,
    Query extends z.ZodType = typeof nothing,
    Body extends z.ZodType | 'multipart' | 'csv' = typeof nothing,
    Prepared = undefined,
  >(spec: OperationSpec<Caller, Path, Query, Body, Upload, Prepared>): Operation<Caller> {
    const isRead = spec.method === 'get'
    return {
      ...spec,
      description: spec.description,
      aliases: spec.aliases ?? [],
      isOpen: spec.isOpen ?? false,
      row: spec.row,
      params: spec.params ?? {},
      query: spec.query ?? nothing,
      body: spec.body,
      formats: spec.formats,
      fieldErrors: spec.fieldErrors ?? {},
      status: spec.status ?? (spec.response === undefined ? 204 : 200),
      response: spec.response,
      errors: spec.errors ?? [],
      problems: spec.problems,
      rate: isRead ? 'read' : 'write',
      addressLimit: spec.addressLimit,
      idempotency: spec.idempotency ?? (isRead ? 'none' : keptWith(spec.runsAt)),
      makesTarget: spec.makesTarget,
      // The path has these parameters, as for `run`.
      beforeBody: spec.beforeBody,
      runsAt: spec.runsAt,
      // The server calls both with the values that the path and the two schemas above produced.
      prepare: spec.prepare as Operation<Caller>['prepare'],
      run: spec.run as Operation<Caller>['run'],
    }
  }
}

/** The answer of another node must be awaited outside a commit. */
function keptWith(runsAt: unknown): Idempotency {
  return runsAt === undefined ? 'in-one-commit' : 'after'
}

export function isRawAnswer(response: Operation<unknown>['response']): response is RawAnswer {
  return typeof response === 'object' && 'mediaTypes' in response
}
