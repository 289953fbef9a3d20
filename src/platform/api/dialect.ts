import type { z } from '@hono/zod-openapi'
import type { ApiRequest } from './api-request.js'
import type { BodyFormat, FieldErrors } from './operation.js'

type Issues = readonly z.core.$ZodIssue[]

/** Why a request is refused before, or instead of, running its operation. */
export type Refusal =
  | { readonly type: 'unknown-path' }
  | { readonly type: 'wrong-method' }
  | { readonly type: 'unauthenticated' }
  /** The account is suspended or closed. */
  | { readonly type: 'account-not-active' }
  /** The caller's address is not allowed for the account. */
  | { readonly type: 'address-not-allowed' }
  /** The credentials are an API key's, but the operation needs the account's own secret. */
  | { readonly type: 'key-not-enough' }
  /** The server is overloaded. */
  | { readonly type: 'overloaded' }
  | { readonly type: 'too-many-requests'; readonly waitSeconds: number }
  | { readonly type: 'body-too-large'; readonly maxBytes: number }
  | { readonly type: 'unreadable-body'; readonly format: BodyFormat }
  /** The body is in a content coding, such as gzip. */
  | { readonly type: 'coded-body' }
  | {
      readonly type: 'invalid'
      readonly where: 'query' | 'body'
      readonly issues: Issues
      /** The values that were validated. */
      readonly given: unknown
      readonly schema: z.ZodType
      readonly fieldErrors: FieldErrors
    }
  | { readonly type: 'bad-idempotency-key'; readonly maxChars: number }
  /** The key was used before by a different request. */
  | { readonly type: 'idempotency-key-reused' }
  /** The first request with the key is still running. */
  | { readonly type: 'idempotency-key-in-use' }
  /** The storage is full or unreachable; `reason` is a text for people. */
  | { readonly type: 'storage-unavailable'; readonly reason: string }
  /** An internal error; it was logged. */
  | { readonly type: 'fault' }

/** Carries a refusal to the dialect, which words the answer. */
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
  /** True when a retry may get another answer; such an answer is not stored under an `Idempotency-Key`. */
  readonly isTemporary?: boolean
}

/** Parts of a request that a refusal's text may quote; its status depends on none of them. */
export type RefusedRequest = Pick<ApiRequest, 'method' | 'path' | 'origin'>

/** The answer to each kind of refusal. */
export type Refusals = {
  readonly [Type in Refusal['type']]: (
    refusal: Extract<Refusal, { readonly type: Type }>,
    request: RefusedRequest,
  ) => ErrorAnswer
}

/** How an API speaks: body formats and the shape of its errors. */
export interface Dialect {
  /** Body formats, unless the operation names others; the first is the default. */
  readonly formats: readonly BodyFormat[]
  readonly maxBodyBytes: number
  /** True when a JSON object may replace a form; its values become texts, and null an empty text. */
  readonly readsJsonAsForm?: boolean
  /**
   * True when null fields count as absent at any depth: clients in statically typed languages send null for
   * unset fields.
   */
  readonly takesNullForAbsent?: boolean
  /** Returns the canonical form of a path parameter that may be written in several ways. */
  readParam?(text: string): string
  /** Schema of an error body, for the description. */
  readonly problem: z.ZodType
  /** Media type of errors; JSON unless set. */
  readonly problemType?: string
  /** Schemas of error bodies other than `problem`, by status. */
  readonly problems?: Readonly<Record<number, z.ZodType>>
  readonly refusals: Refusals
  /** Returns the answer to an error that an operation threw; undefined for an internal error. */
  explain(error: unknown, request: ApiRequest): ErrorAnswer | undefined
  /** Media types that `encode` writes, for the description. */
  readonly encodedTypes?: readonly string[]
  /** Returns the body in a format other than JSON when the request accepts one. */
  encode?(body: object, request: ApiRequest): EncodedBody | undefined
}

export interface EncodedBody {
  readonly mediaType: string
  readonly text: string
}

export function refusalAnswer(
  { refusals }: Pick<Dialect, 'refusals'>,
  refusal: Refusal,
  request: RefusedRequest,
): ErrorAnswer {
  // The entry of a type takes a refusal of that type.
  const answer = refusals[refusal.type] as (
    refusal: Refusal,
    request: RefusedRequest,
  ) => ErrorAnswer
  const worded = answer(refusal, request)
  if (refusal.type !== 'coded-body') return worded
  // RFC 9110 §15.5.16: the answer names the codings that are taken.
  return { ...worded, headers: { ...worded.headers, 'accept-encoding': 'identity' } }
}
