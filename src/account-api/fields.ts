/** Fields that operations of both styles share. */
import { z } from '@hono/zod-openapi'
import { USERNAME } from '../accounts/usernames.js'
import { ONE_LINE } from '../platform/text.js'

const MAX_NAME = 64
const MAX_EMAIL = 254
const MAX_PASSWORD = 128
const MAX_RATE = 1_000

export const username = z
  .string()
  .regex(USERNAME, 'ten digits are expected')
  .openapi({ description: 'The name of the account: ten digits.' })

export const name = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME)
  .regex(ONE_LINE, 'one line of text is expected')
  .openapi({ description: 'A name for people.' })

export const email = z
  .email('an address of mail is expected')
  .max(MAX_EMAIL)
  .openapi({ description: 'The address of mail.' })

export const password = z
  .string()
  .min(1)
  .max(MAX_PASSWORD)
  .openapi({ description: 'The password of the account.' })

const NANP = /^[2-9][0-9]{2}[2-9][0-9]{2}[0-9]{4}$/
const WRITTEN_NANP = /^(?:\+?1)?([2-9][0-9]{2}[2-9][0-9]{6})$/

/**
 * The ten digits of a North American number, with or without its country digit. After a plus sign the country
 * digit is required: +4598765432 is a Danish number.
 */
export function tenDigitsOf(text: string): string | undefined {
  return WRITTEN_NANP.exec(text.trim())?.[1]
}

export const callerId = z
  .string()
  .refine((text) => text === '' || NANP.test(text), 'ten digits of a North American number')
  .openapi({ description: 'The number that outgoing calls show by default; empty: none.' })

export const timezone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'an IANA time zone is expected')
  .openapi({ description: 'An IANA time zone, such as America/New_York.' })

function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(text)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions()
    return true
  } catch (error) {
    if (error instanceof RangeError) return false // the zone is unknown
    throw error
  }
}

const rate = (description: string) =>
  z.number().min(0).max(MAX_RATE).optional().openapi({ description })

/** Rates that an administrator may set, in dollars. */
export const rateChange = z
  .strictObject({
    fax: rate('The rate of a fax page.'),
    sms: rate('The rate of a segment of SMS.'),
    mms: rate('The rate of an MMS.'),
    tfAdj: rate('What is added to the rate of a toll-free minute.'),
    lrn: rate('The rate of a look-up of a routing number.'),
    nibble: rate('The rate of a minute of a call.'),
    did: rate('The rate of a number in a month.'),
    cnam: rate("The rate of a look-up of a caller's name."),
    intlMax: rate('The highest rate of a minute that calls abroad may have.'),
  })
  .openapi({ description: 'Administrators only: what the account pays, in dollars.' })

export const shownUsername = z
  .string()
  .openapi({ description: 'The name of the account: ten digits.' })

export const flag = (description: string) => z.boolean().openapi({ description })
export const shownText = (description: string) => z.string().openapi({ description })
export const shownNumber = (description: string) => z.number().openapi({ description })

const INTEGER_EXPECTED = 'an integer is expected'

/**
 * An integer, as a number or as its digits: queries have texts, and so have some clients. An empty text is an
 * error: read as 0 it would be a filter.
 */
export function integer(description: string, { min, max }: { min: number; max?: number }) {
  const range = z.number().int().min(min)
  return z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^-?[0-9]{1,15}$/, INTEGER_EXPECTED)
          .transform(Number),
      ],
      INTEGER_EXPECTED,
    )
    .pipe(max === undefined ? range : range.max(max))
    .openapi({ type: 'integer', description })
}

const MAX_SECONDS = 99_999_999_999

export const unixTime = (description: string) => integer(description, { min: 0, max: MAX_SECONDS })

/** A time in ISO 8601, which both styles use. */
export function isoTime(at: number): string {
  return new Date(at).toISOString()
}
