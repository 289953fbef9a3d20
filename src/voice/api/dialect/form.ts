/** Schemas for the fields of forms and queries. A repeated name is a list. Pure. */
import { z } from '@hono/zod-openapi'
import type { FormFields } from '../../../platform/api/read-body.js'
import { lastOf } from '../../../platform/api/repeated.js'
import { isWebUrl, readWebUrl } from '../../../platform/http/web-url.js'
import { parseSid } from '../../../platform/ids.js'
import { isPlainText } from '../../../platform/text.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'

/**
 * The documented error number of each field. A missing or too long field may have a number of its
 * own.
 */
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

/** Error numbers of the webhook fields of a voice application. */
export const VOICE_URL_ERRORS = {
  VoiceUrl: { invalid: 21402 },
  VoiceMethod: { invalid: 21403 },
  VoiceFallbackUrl: { invalid: 21402 },
  VoiceFallbackMethod: { invalid: 21403 },
} as const satisfies FieldErrors

/** Error numbers of the webhook fields of a message application. */
export const SMS_URL_ERRORS = {
  SmsUrl: { invalid: 21402 },
  SmsMethod: { invalid: 21403 },
  SmsFallbackUrl: { invalid: 21402 },
  SmsFallbackMethod: { invalid: 21403 },
} as const satisfies FieldErrors

export const text = () => z.preprocess(lastOf, z.string())

/**
 * An optional text. An empty field counts as absent: client libraries send empty fields to clear a
 * value.
 */
export const optionalText = (
  pattern = /^[^\0]*$/u,
  description = 'has characters that are not allowed',
  maxChars = 4_000,
) => z.preprocess(emptyAsAbsent, z.string().max(maxChars).regex(pattern, description).optional())

/** A field that is accepted and ignored. */
export const ignoredText = () => z.preprocess(() => undefined, z.string().optional())

/** The sid of another resource, with hex digits in either case. */
export const optionalSid = (prefix: string) =>
  z.preprocess(
    emptyAsAbsent,
    z
      .string()
      .regex(new RegExp(`^${prefix}[0-9a-fA-F]{32}$`), `must be ${prefix} and 32 hex digits`)
      .transform((text) => parseSid(prefix, text))
      .optional(),
  )

/** A boolean field: `true` or `false`, in either case. */
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

export const httpUrl = () => urlWhere(isWebUrl, 'must be an absolute http or https URL')

/** The URL of a callback. Underscores in the host name are refused (RFC 952). */
export const callbackUrl = () =>
  urlWhere(
    (value) => readWebUrl(value)?.hostname.includes('_') === false,
    'must be an absolute http or https URL whose host name has no underscore',
  )

function urlWhere(isGood: (value: string) => boolean, message: string) {
  return z.preprocess(
    emptyAsAbsent,
    z
      .string()
      .max(4_000)
      // A URL object would encode control characters, and the text is stored as given.
      .refine((value) => isPlainText(value) && isGood(value), { message })
      .optional(),
  )
}

/** Maximum of an integer field: nine digits. */
export const MAX_INTEGER = 999_999_999

export const integer = (min: number, max: number) =>
  z.preprocess(digitsAsNumber, z.number().int().min(min).max(max).optional())

/** Converts decimal digits to a number, any other text to NaN: `0x10` and `1e3` are invalid. */
function digitsAsNumber(value: unknown): unknown {
  const single = emptyAsAbsent(value)
  if (typeof single !== 'string') return single
  return /^\s*\d{1,9}\s*$/.test(single) ? Number(single) : Number.NaN
}

/** A list of known values, given as repeated fields or separated by commas or spaces. */
export const listOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.preprocess((value) => {
    if (value === undefined) return undefined
    const all = Array.isArray(value) ? value : [value]
    return all.flatMap((each) => String(each).split(/[\s,]+/)).filter((each) => each !== '')
  }, z.array(z.enum(values)).optional())

/** A list of texts, given as repeated fields. A single empty field is an empty list. */
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

/** A text parameter of a query. */
export const queryText = (description: string) =>
  z
    .preprocess(
      lastOf,
      z
        .string()
        .regex(/^[^\0]*$/, 'has characters that are not allowed')
        .optional(),
    )
    .openapi({ type: 'string', description })

/**
 * Returns the values of the fields that the request contains, under other names. An empty field has
 * the value undefined. `form` is the parsed form, which does not tell empty from absent.
 */
export function presentFields<
  Form extends object,
  Names extends Readonly<Record<string, string & keyof Form>>,
>(form: Form, fields: FormFields, names: Names): { [Key in keyof Names]?: Form[Names[Key]] } {
  const entries = Object.entries(names).filter(([, name]) => fields[name] !== undefined)
  // `names` maps each result key to its field.
  return Object.fromEntries(entries.map(([key, name]) => [key, form[name]])) as {
    [Key in keyof Names]?: Form[Names[Key]]
  }
}
