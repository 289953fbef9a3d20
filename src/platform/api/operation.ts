import { z } from '@hono/zod-openapi'
import type { ApiRequest } from './api-request.js'

export type OperationMethod = 'get' | 'post' | 'put' | 'patch' | 'delete'
export type BodyFormat = 'form' | 'json'

/** The names in braces of a path: `campaignId` of `/campaign/{campaignId}`. */
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
  /** The values of the names in the path, decoded. */
  readonly params: Params
  readonly query: Query
  /** The parsed body; of a multipart one, the uploaded file. */
  readonly body: Body
  /** The body as it came, before its schema: all fields of a form. */
  readonly given: unknown
  /** The request itself, for headers and the suffix of the path. */
  readonly http: ApiRequest
}

/** An answer that is a file for a client to keep. */
export interface Download {
  readonly fileName: string
  readonly mimeType: string
  readonly bytes: Buffer
}

/** An answer that its operation makes itself, in one of these media types. */
export interface RawAnswer {
  readonly mediaTypes: readonly string[]
  readonly description: string
}

/** The documented error number of a field; absence and length may have one of their own. */
export interface FieldError {
  readonly invalid: number
  readonly missing?: number
  readonly tooLong?: number
}
export type FieldErrors = Readonly<Record<string, FieldError>>

/**
 * How a repeated `Idempotency-Key` is obeyed. `in-one-commit`: the key is stored with all that the
 * operation writes. `after`: it is stored when the operation has ended, for one that waits for other
 * servers. `own`: the operation stores it itself. `none`: the header is not looked at.
 */
export type Idempotency = 'in-one-commit' | 'after' | 'own' | 'none'

/**
 * One operation of an API, declared once: routing, reading, limits, `/openapi.json` and the table in
 * `docs/` come from it.
 */
export interface Operation<Caller> {
  readonly id: string
  readonly summary: string
  readonly description: string | undefined
  readonly method: OperationMethod
  /** Below the API's base; parameters in braces. */
  readonly path: string
  /** Further paths of the same operation. */
  readonly aliases: readonly string[]
  /** True: served without asking who calls. */
  readonly isOpen: boolean
  /** The name that the specification gives it; undefined for what clients call beyond it. */
  readonly row: string | undefined
  /** Descriptions of path parameters whose meaning differs from the API's own. */
  readonly params: Readonly<Record<string, z.ZodType>>
  readonly query: z.ZodType
  readonly body: z.ZodType | 'multipart' | undefined
  /** The formats that the body may have; undefined: those of the API. */
  readonly formats: readonly BodyFormat[] | undefined
  readonly fieldErrors: FieldErrors
  /** The status of success; 204 without a response, else 200 unless it says otherwise. */
  readonly status: number
  readonly response: z.ZodType | RawAnswer | 'file' | 'text' | undefined
  /** Statuses of documented errors beyond those of the API. */
  readonly errors: readonly number[]
  readonly rate: 'read' | 'write'
  readonly idempotency: Idempotency
  /** Throws when the request is in vain whatever its body holds; asked before the body is read. */
  readonly beforeBody: ((request: BodilessRequest<Caller>) => Promise<unknown>) | undefined
  readonly run: (request: OperationRequest<Caller>) => unknown
}

/** What is known of a request before its body is read. */
export type BodilessRequest<Caller, Params = Readonly<Record<string, string>>> = Pick<
  OperationRequest<Caller, Params>,
  'caller' | 'params'
>

export interface OperationSpec<
  Caller,
  Path extends string,
  Query extends z.ZodType,
  Body extends z.ZodType | 'multipart',
  Upload,
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
  readonly idempotency?: Idempotency
  readonly beforeBody?: (
    request: BodilessRequest<Caller, Readonly<Record<ParamNames<Path>, string>>>,
  ) => Promise<unknown>
  readonly run: (
    request: OperationRequest<
      Caller,
      Readonly<Record<ParamNames<Path>, string>>,
      z.infer<Query>,
      Body extends z.ZodType ? z.infer<Body> : Upload
    >,
  ) => unknown
}

const nothing = z.object({})

/** `operation()` for an API whose callers are these, and whose uploaded files are those. */
export function operationsOf<Caller, Upload = never>() {
  return function operation<
    const Path extends string,
    Query extends z.ZodType = typeof nothing,
    Body extends z.ZodType | 'multipart' = typeof nothing,
  >(spec: OperationSpec<Caller, Path, Query, Body, Upload>): Operation<Caller> {
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
      rate: isRead ? 'read' : 'write',
      idempotency: spec.idempotency ?? (isRead ? 'none' : 'in-one-commit'),
      // As with `run`: the path has the names that it asks for.
      beforeBody: spec.beforeBody,
      // The server hands it what the path and the two schemas above made of the request.
      run: spec.run as Operation<Caller>['run'],
    }
  }
}

export function isRawAnswer(response: Operation<unknown>['response']): response is RawAnswer {
  return typeof response === 'object' && 'mediaTypes' in response
}
