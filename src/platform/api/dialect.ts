import type { z } from '@hono/zod-openapi'
import type { ApiRequest } from './api-request.js'
import type { BodyFormat, FieldErrors } from './operation.js'

type Issues = readonly z.core.$ZodIssue[]

/** Why a request is answered without, or instead of, its operation. */
export type Refusal =
  | { readonly type: 'unknown-path' }
  | { readonly type: 'wrong-method' }
  | { readonly type: 'unauthenticated' }
  /** The account is suspended or closed. */
  | { readonly type: 'account-not-active' }
  /** The account may not be used from the caller's address. */
  | { readonly type: 'address-not-allowed' }
  /** The server has too much to do. */
  | { readonly type: 'overloaded' }
  | { readonly type: 'too-many-requests'; readonly waitSeconds: number }
  | { readonly type: 'body-too-large'; readonly maxBytes: number }
  | { readonly type: 'unreadable-body'; readonly format: BodyFormat }
  | {
      readonly type: 'invalid'
      readonly where: 'query' | 'body'
      readonly issues: Issues
      /** What was parsed. */
      readonly given: unknown
      readonly fieldErrors: FieldErrors
    }
  | { readonly type: 'bad-idempotency-key'; readonly maxChars: number }
  /** The key came before, with another request. */
  | { readonly type: 'idempotency-key-reused' }
  /** The first request with the key is still running. */
  | { readonly type: 'idempotency-key-in-use' }
  /** A fault of ours; it is in the log. */
  | { readonly type: 'fault' }

/** Thrown by the kit, worded by the dialect. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.type)
    this.refusal = refusal
  }
}

export interface ErrorAnswer {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
  /** The same request may be answered otherwise soon: it is not kept under an `Idempotency-Key`. */
  readonly isTemporary?: boolean
}

/** The answer to each kind of refusal. */
export type Refusals = {
  readonly [Type in Refusal['type']]: (
    refusal: Extract<Refusal, { readonly type: Type }>,
    request: ApiRequest,
  ) => ErrorAnswer
}

/** How an API speaks: the formats of bodies, the shape of errors. */
export interface Dialect {
  /** The formats of a body, unless its operation says otherwise; the first when none is named. */
  readonly formats: readonly BodyFormat[]
  readonly maxBodyBytes: number
  /** True: an object in JSON stands for a form, its values for texts; null is an empty text. */
  readonly readsJsonAsForm?: boolean
  /** The body of an error, for the description. */
  readonly problem: z.ZodType
  readonly refusals: Refusals
  /** The answer to an error that an operation threw; undefined: it is a fault of ours. */
  explain(error: unknown, request: ApiRequest): ErrorAnswer | undefined
  /** The answer in another format than JSON, when the request wants one. */
  encode?(body: object, request: ApiRequest): EncodedBody | undefined
}

export interface EncodedBody {
  readonly mediaType: string
  readonly text: string
}

export function refusalAnswer(
  { refusals }: Pick<Dialect, 'refusals'>,
  refusal: Refusal,
  request: ApiRequest,
): ErrorAnswer {
  // The entry is the one of this type.
  const answer = refusals[refusal.type] as (refusal: Refusal, request: ApiRequest) => ErrorAnswer
  return answer(refusal, request)
}
