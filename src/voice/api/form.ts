/** A form as the convention's clients send it: names in PascalCase, repeated names are lists. Pure. */

import { z } from '@hono/zod-openapi'
import type { ErrorNumber } from '../errors/error-catalogue.js'
import { ApiError } from './errors.js'

export type FormFields = Readonly<Record<string, string | readonly string[]>>

export function readForm(text: string): FormFields {
  const fields: Record<string, string | string[]> = Object.create(null) as Record<
    string,
    string | string[]
  >
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields[name]
    if (before === undefined) fields[name] = value
    else if (Array.isArray(before)) before.push(value)
    else fields[name] = [before, value]
  }
  return fields
}

/** A form, or an object in JSON whose values stand for a form's: null is empty. */
export function readBody(text: string, contentType: string | undefined): FormFields {
  if (contentType?.startsWith('application/json') !== true) return readForm(text)
  const body = jsonBody.safeParse(parseJson(text))
  if (body.success) return body.data
  throw new ApiError(400, GENERIC_INVALID, 'The body is not a JSON object of texts')
}

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()])
const asText = (value: z.infer<typeof scalar>) => (value === null ? '' : String(value))
const jsonBody = z.record(
  z.string(),
  z.union([scalar.transform(asText), z.array(scalar.transform(asText))]),
)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Each field's documented error number; absence and length may have one of their own. */
export type FieldErrors = Readonly<
  Record<
    string,
    {
      readonly invalid: ErrorNumber
      readonly missing?: ErrorNumber
      readonly tooLong?: ErrorNumber
    }
  >
>

const GENERIC_INVALID = 20422

/** Unknown fields are ignored; the first bad one is answered with its own number. */
export function parseForm<Schema extends z.ZodType>(
  schema: Schema,
  fields: FormFields,
  errors: FieldErrors,
): z.infer<Schema> {
  const result = schema.safeParse(fields)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const name = String(issue?.path[0] ?? '')
  const isMissing = fields[name] === undefined || fields[name] === ''
  const problem = isMissing ? 'missing' : issue?.code === 'too_big' ? 'tooLong' : 'invalid'
  const numbers = errors[name] ?? { invalid: GENERIC_INVALID }
  throw new ApiError(
    400,
    numbers[problem] ?? numbers.invalid,
    messageOf(name, issue?.message ?? '', isMissing),
  )
}

function messageOf(name: string, problem: string, isMissing: boolean): string {
  if (isMissing && name !== '') return `Required parameter '${name}' is missing`
  return name === '' ? problem : `'${name}' is not valid: ${problem}`
}

/** A repeated field where one value is wanted: the last one counts, as with most form readers. */
const lastOf = (value: unknown): unknown => (Array.isArray(value) ? value.at(-1) : value)

export const text = () => z.preprocess(lastOf, z.string())

/** Absent and empty mean the same: the convention's clients send empty fields to clear. */
export const optionalText = (
  pattern = /^[^\0]*$/u,
  description = 'has characters that are not allowed',
  maxChars = 4_000,
) => z.preprocess(emptyAsAbsent, z.string().max(maxChars).regex(pattern, description).optional())

/** `true` or `false`, in any case, as the convention's clients spell them. */
export const flag = () =>
  z.preprocess(
    (value) => {
      const single = emptyAsAbsent(value)
      return typeof single === 'string' ? single.toLowerCase() : single
    },
    z
      .enum(['true', 'false'])
      .transform((word) => word === 'true')
      .optional(),
  )

export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.preprocess(emptyAsAbsent, z.enum(values).optional())

export const httpMethod = () =>
  z.preprocess((value) => {
    const single = lastOf(value)
    return typeof single === 'string' && single !== '' ? single.toUpperCase() : undefined
  }, z.enum(['GET', 'POST']).optional())

export const httpUrl = () => urlWhere(isHttpUrl, 'must be an absolute http or https URL')

/** A callback's host name is a real one: no underscore (RFC 952). */
export const callbackUrl = () =>
  urlWhere(
    (value) => isHttpUrl(value) && !new URL(value).hostname.includes('_'),
    'must be an absolute http or https URL whose host name has no underscore',
  )

function urlWhere(isGood: (value: string) => boolean, message: string) {
  return z.preprocess(emptyAsAbsent, z.string().max(4_000).refine(isGood, { message }).optional())
}

export function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}

export const integer = (min: number, max: number) =>
  z.preprocess(digitsAsNumber, z.number().int().min(min).max(max).optional())

/** Decimal digits and nothing else: `0x10` and `1e3` are mistakes. */
function digitsAsNumber(value: unknown): unknown {
  const single = emptyAsAbsent(value)
  if (typeof single !== 'string') return single
  return /^\s*\d{1,9}\s*$/.test(single) ? Number(single) : Number.NaN
}

/** Repeated fields, or one field with commas or spaces between the values. */
export const listOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.preprocess((value) => {
    if (value === undefined) return undefined
    const all = Array.isArray(value) ? value : [value]
    return all.flatMap((each) => String(each).split(/[\s,]+/)).filter((each) => each !== '')
  }, z.array(z.enum(values)).optional())

/** Repeated fields; one that is empty is an empty list. */
export const textList = (max: number, isGood: (text: string) => boolean, message: string) =>
  z.preprocess((value) => {
    if (value === undefined) return undefined
    const all: readonly unknown[] = Array.isArray(value) ? value : [value]
    return all.filter((each) => each !== '')
  }, z.array(z.string().refine(isGood, { message })).max(max).optional())

function emptyAsAbsent(value: unknown): unknown {
  const single = lastOf(value)
  return single === '' ? undefined : single
}
