/** Failures of both styles: the refusals of the route kit, and the errors of the features. */

import type { z } from '@hono/zod-openapi'
import { AccountClosedError, UsernameTakenError } from '../../accounts/accounts.js'
import { TooManyPasswordsError } from '../../accounts/passwords.js'
import { DisposableMailError } from '../../accounts/sign-ups.js'
import { InsufficientBalanceError } from '../../ledger/reservations.js'
import { NumberProviderError } from '../../numbers/number-seller.js'
import type { Dialect, ErrorAnswer, Refusal, Refusals } from '../../platform/api/dialect.js'
import { UploadError } from '../../platform/uploads/read-upload.js'
import { MaskedPasswordError } from '../../platform/url-passwords.js'
import {
  LetterError,
  PortConflictError,
  PortFieldError,
  PortNotFoundError,
  PortNotVerifiedError,
  PortStateError,
} from '../../porting/port-errors.js'
import { PortabilityUnknownError } from '../../porting/portability.js'
import { ApiFailure, type Failure } from './api-failure.js'

type Word = (failure: Failure) => ErrorAnswer

/** Response status per porting error. */
const PORT_STATUSES = [
  [PortFieldError, 400],
  [LetterError, 400],
  [PortNotFoundError, 404],
  [PortConflictError, 409],
  [PortStateError, 409],
  [PortNotVerifiedError, 412],
  [PortabilityUnknownError, 502],
] as const

const UPLOAD_STATUSES = { unreadable: 400, 'too-big': 413, busy: 503 } as const

const retryAfter = (seconds: number) => ({ 'retry-after': String(seconds) })

const REFUSALS: {
  readonly [Type in Refusal['type']]: (
    refusal: Extract<Refusal, { readonly type: Type }>,
  ) => Failure
} = {
  'unknown-path': () => ({ status: 404, message: 'Not found' }),
  'wrong-method': () => ({ status: 405, message: 'Method not allowed' }),
  unauthenticated: () => ({
    status: 401,
    message: 'Unauthorized: the credentials are missing or wrong',
    headers: { 'www-authenticate': 'Bearer realm="Account API"' },
  }),
  'account-not-active': () => ({ status: 403, message: 'The account is not active' }),
  'address-not-allowed': () => ({ status: 403, message: 'Not allowed from this address' }),
  'key-not-enough': () => ({ status: 403, message: 'Forbidden' }),
  overloaded: () => ({
    status: 503,
    message: 'Too many requests at once',
    headers: retryAfter(1),
  }),
  'too-many-requests': ({ waitSeconds }) => ({
    status: 429,
    message: `Too many requests: try again in ${waitSeconds} s`,
    headers: retryAfter(waitSeconds),
  }),
  'body-too-large': ({ maxBytes }) => ({
    status: 413,
    message: `The body is larger than ${maxBytes} bytes`,
  }),
  'unreadable-body': () => ({ status: 400, message: 'The body is not JSON' }),
  'coded-body': () => ({
    status: 415,
    message: 'The body must be sent without a Content-Encoding',
  }),
  invalid: (refusal) => ({ status: 400, message: messageOf(refusal) }),
  'bad-idempotency-key': ({ maxChars }) => ({
    status: 400,
    message: `Idempotency-Key: at most ${maxChars} characters`,
  }),
  'idempotency-key-reused': () => ({
    status: 409,
    message: 'Idempotency-Key: it was used for another request',
  }),
  'idempotency-key-in-use': () => ({
    status: 409,
    message: 'Idempotency-Key: its first request is still running',
    headers: retryAfter(1),
  }),
  'storage-unavailable': ({ reason }) => ({
    status: 503,
    message: reason,
    headers: retryAfter(1),
  }),
  fault: () => ({ status: 500, message: 'Internal error' }),
}

/** The answers to refusals, in the format of a style. */
export function refusalsBy(word: Word): Refusals {
  const entries = Object.entries(REFUSALS).map(([type, failureOf]) => [
    type,
    // Each entry takes a refusal of its own type.
    (refusal: Refusal) => word((failureOf as (refusal: Refusal) => Failure)(refusal)),
  ])
  return Object.fromEntries(entries) as Refusals // the same types
}

/** The answers to errors thrown by operations, in the format of a style. */
export function explainBy(word: Word): Dialect['explain'] {
  return (error) => {
    const failure = failureOf(error)
    return failure === undefined ? undefined : word(failure)
  }
}

function failureOf(error: unknown): Failure | undefined {
  if (error instanceof ApiFailure) return error.failure
  if (error instanceof UsernameTakenError) return { status: 409, message: 'username: it is taken' }
  if (error instanceof DisposableMailError)
    return { status: 400, message: 'email: it is at a disposable mail service' }
  if (error instanceof MaskedPasswordError) return { status: 400, message: sentence(error.message) }
  if (error instanceof InsufficientBalanceError) return { status: 402, message: error.message }
  if (error instanceof NumberProviderError) return { status: 502, message: sentence(error.message) }
  if (error instanceof AccountClosedError) return { status: 409, message: 'The account is closed' }
  if (error instanceof TooManyPasswordsError)
    return { status: 503, message: 'Too many requests at once', headers: retryAfter(1) }
  return portFailure(error)
}

/** The failure for an error of porting; undefined for any other error. */
function portFailure(error: unknown): Failure | undefined {
  if (error instanceof UploadError) return uploadFailure(error)
  const found = PORT_STATUSES.find(([type]) => error instanceof type)
  return found === undefined || !(error instanceof Error)
    ? undefined
    : { status: found[1], message: error.message }
}

function uploadFailure({ reason, message }: UploadError): Failure {
  const failure = { status: UPLOAD_STATUSES[reason], message: `file: ${message}` }
  return reason === 'busy' ? { ...failure, headers: { 'retry-after': '1' } } : failure
}

type Invalid = Pick<Extract<Refusal, { type: 'invalid' }>, 'issues' | 'given' | 'schema'>

/** Names each missing or invalid field once. */
function messageOf(refusal: Invalid): string {
  const byField = new Map<string, string>()
  for (const issue of refusal.issues) {
    const field = issue.path.join('.')
    if (byField.has(field)) continue
    byField.set(field, sentenceOf(field, issue, refusal))
  }
  return [...byField.values()].join('; ')
}

function sentenceOf(field: string, issue: z.core.$ZodIssue, refusal: Invalid): string {
  if (issue.code === 'unrecognized_keys')
    return `Unknown field: ${issue.keys.map((key) => [...issue.path, key].join('.')).join(', ')}`
  if (field === '') return issue.message
  const value = issue.path.reduce<unknown>(memberOf, refusal.given)
  const isMissing =
    value === undefined || value === null || (value === '' && isRequired(issue.path, refusal))
  return isMissing ? `Field Required: ${field}` : `${field}: ${issue.message}`
}

/** True when the field would be invalid also without its empty text. */
function isRequired(path: readonly PropertyKey[], { given, schema }: Invalid): boolean {
  const { error } = schema.safeParse(without(given, path))
  return error?.issues.some((issue) => issue.path.join('.') === path.join('.')) ?? false
}

/** Returns the value without the member at the path; unchanged where a text replaces an object or a list. */
function without(value: unknown, [name, ...rest]: readonly PropertyKey[]): unknown {
  if (typeof value !== 'object' || value === null || name === undefined) return value
  const members = value as Readonly<Record<PropertyKey, unknown>>
  const changed = rest.length === 0 ? undefined : without(members[name], rest)
  if (Array.isArray(value))
    return value.map((each, at) => (at === name ? changed : each) as unknown)
  return { ...members, [name]: changed }
}

/**
 * The member with that name. A text or integer in place of an object is its `number`; a text in place of a list
 * holds all items.
 */
function memberOf(value: unknown, name: PropertyKey): unknown {
  if (typeof value === 'object' && value !== null)
    return (value as Readonly<Record<PropertyKey, unknown>>)[name]
  return name === 'number' || typeof name === 'number' ? value : undefined
}

/** The text with a capital first letter. */
function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
