import type { z } from '@hono/zod-openapi'
import type { ApiRequest } from './api-request.js'
import type { BodyFormat, FieldErrors } from './operation.js'

type Issues = readonly z.core.$ZodIssue[]

/** The reason why a request is answered without, or instead of, its operation. */
export type Refusal =
  | { readonly type: 'unknown-path' }
  | { readonly type: 'wrong-method' }
  | { readonly type: 'unauthenticated' }
  /** The account is suspended or closed. */
  | { readonly type: 'account-not-active' }
  /** The account may not be used from the caller's address. */
  | { readonly type: 'address-not-allowed' }
  /** The credentials are a key's, and only the account's own secret may do this. */
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
      /** The values that the schema was given. */
      readonly given: unknown
      readonly schema: z.ZodType
      readonly fieldErrors: FieldErrors
    }
  | { readonly type: 'bad-idempotency-key'; readonly maxChars: number }
  /** The key was used before, by a different request. */
  | { readonly type: 'idempotency-key-reused' }
  /** The first request with the key is still running. */
  | { readonly type: 'idempotency-key-in-use' }
  /** The storage is full or away; `reason` says which, for a person. */
  | { readonly type: 'storage-unavailable'; readonly reason: string }
  /** A fault of the server; it is in the log. */
  | { readonly type: 'fault' }

/** A refusal on its way to the dialect: the kit throws it, the dialect words it. */
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
  /**
   * True when the same request may soon have another answer, which is then not kept under an
   * `Idempotency-Key`.
   */
  readonly isTemporary?: boolean
}

/** The parts of a request that the words of its refusal may repeat. Its status has none of them. */
export type RefusedRequest = Pick<ApiRequest, 'method' | 'path' | 'origin'>

/** The answer to each kind of refusal. */
export type Refusals = {
  readonly [Type in Refusal['type']]: (
    refusal: Extract<Refusal, { readonly type: Type }>,
    request: RefusedRequest,
  ) => ErrorAnswer
}

/** The way in which an API speaks: the formats of its bodies and the shape of its errors. */
export interface Dialect {
  /** The formats of a body, unless its operation says otherwise; the first is the default. */
  readonly formats: readonly BodyFormat[]
  readonly maxBodyBytes: number
  /**
   * True when a JSON object may stand for a form: its values are texts, and null is an empty text.
   */
  readonly readsJsonAsForm?: boolean
  /**
   * True when a field that is null counts as absent, at any depth: clients in languages with static
   * types send the fields that nobody has set so.
   */
  readonly takesNullForAbsent?: boolean
  /** A parameter of the path as operations get it, where it may be written in several ways. */
  readParam?(text: string): string
  /** The schema of the body of an error, for the description. */
  readonly problem: z.ZodType
  /** The media type of errors; JSON when there is none. */
  readonly problemType?: string
  /** The schemas of errors whose body is another than `problem`, by status. */
  readonly problems?: Readonly<Record<number, z.ZodType>>
  readonly refusals: Refusals
  /** The answer to an error that an operation threw; undefined for a fault of the server. */
  explain(error: unknown, request: ApiRequest): ErrorAnswer | undefined
  /** The media types in which `encode` writes answers, for the description. */
  readonly encodedTypes?: readonly string[]
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
