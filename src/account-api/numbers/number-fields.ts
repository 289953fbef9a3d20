/** Number fields of both styles. */
import { z } from '@hono/zod-openapi'
import { E164 } from '../../destinations/phone-number.js'
import { isShortCode } from '../../destinations/short-code.js'
import { integer, tenDigitsOf } from '../fields.js'

const MAX_ROUTE = 2_147_483_647

/**
 * Converts a number to E.164: ten digits of North America, with or without a leading 1, or a number with a plus
 * sign. Undefined for anything else.
 */
export function readNumber(text: string): string | undefined {
  const bare = text.trim()
  const local = tenDigitsOf(bare)
  if (local !== undefined) return `+1${local}`
  return E164.test(bare) && !bare.startsWith('+1') ? bare : undefined
}

/** The number in the form of both styles: ten digits in North America, else E.164. */
export function shownTn(e164: string): string {
  return /^\+1([0-9]{10})$/.exec(e164)?.[1] ?? e164
}

const NUMBER_EXPECTED = 'a telephone number of ten digits is expected'
const texts = z.union([z.string(), z.number().int()], NUMBER_EXPECTED).transform(String)

const readBy = (read: (text: string) => string | undefined) =>
  texts.transform((text, context) => {
    const e164 = read(text)
    if (e164 !== undefined) return e164
    context.addIssue({ code: 'custom', message: NUMBER_EXPECTED })
    return z.NEVER
  })

/** A number, as a text or as an integer. */
export const number = readBy(readNumber).openapi({
  type: 'string',
  description: 'The number: ten digits, or E.164.',
})

/** The recipient of a message: a number or a short code. */
export const destination = readBy((text) => readNumber(text) ?? readShortCode(text)).openapi({
  type: 'string',
  description: 'The number: ten digits, E.164, or a short code.',
})

function readShortCode(text: string): string | undefined {
  const bare = text.trim()
  return isShortCode(bare) ? bare : undefined
}

/** The id of a route, as a number or as a text. */
export const route = integer('The id of a system route, or of a gateway of the account.', {
  min: 0,
  max: MAX_ROUTE,
})

export const shownNumberField = z
  .string()
  .openapi({ description: 'The number: ten digits; outside North America E.164.' })
export const shownRoute = z.number().int().openapi({ description: 'The id of its route.' })
const reason = z.string().openapi({ description: 'Why, for a person.' })
export const failedNumber = z.object({ number: shownNumberField, reason }).openapi('FailedNumber')

export const campaignId = z
  .string()
  .regex(/^C[A-Z0-9]{6}$/, 'seven characters that begin with C are expected')
  .openapi({ description: 'The id of a campaign of the account.' })

/** Wraps a single number in an object, so that an error names the invalid member. */
function asObject(value: unknown): unknown {
  return typeof value === 'string' || typeof value === 'number' ? { number: value } : value
}

/** An ordered number: alone, or with its route and campaign. */
export const wantedNumber = z
  .preprocess(
    asObject,
    z.strictObject({ number, route: route.optional(), campaignId: campaignId.optional() }),
  )
  .transform((each) => ({ e164: each.number, route: each.route, campaignId: each.campaignId }))
  .openapi({
    type: 'object',
    description:
      'A number, or an object with `number`, `route` (by default 4, DID) and `campaignId` (by default none).',
  })

/** Maximum number of numbers in one request. */
export const MAX_NUMBERS = 100

/** A list of numbers for the legacy style: objects, or numbers alone where no other field is required. */
export function legacyNumbers<Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .array(z.preprocess(asObject, z.object({ number, ...shape })))
    .min(1)
    .max(MAX_NUMBERS)
    .openapi({ description: 'The numbers, at most 100.' })
}
