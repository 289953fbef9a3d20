/** The fields of emergency addresses and records, in both styles. */
import { z } from '@hono/zod-openapi'
import type { PostalAddress } from '../../emergency/civic-address.js'
import type { KeptAddress } from '../../emergency/emergency-addresses.js'
import type { EmergencyRecord } from '../../emergency/emergency-records.js'
import { shownText, tenDigitsOf } from '../fields.js'

const MAX_LINE = 100
const MAX_CITY = 64
const MAX_CALLER_NAME = 60
/** One line of text: it goes into headers and into XML. */
const ONE_LINE = /^[^\p{Cc}\p{Cn}\p{Cs}]*$/u

const line = (max: number, description: string) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(ONE_LINE, 'one line of text is expected')
    .openapi({ description })

export const addressFields = {
  address1: line(MAX_LINE, 'The house number and the street.'),
  address2: z
    .string()
    .trim()
    .max(MAX_LINE)
    .regex(ONE_LINE, 'one line of text is expected')
    .optional()
    .openapi({ description: 'The apartment, floor or building; it may be empty.' }),
  city: line(MAX_CITY, 'The city.'),
  state: z
    .string()
    .trim()
    .regex(/^[A-Za-z]{2}$/, 'the two letters of a US state are expected')
    .openapi({ description: 'The two letters of the US state.' }),
  zip: line(10, 'The ZIP code: five digits, or nine with a hyphen.'),
}

export const dn = z
  .string()
  .regex(/^[2-9][0-9]{2}[2-9][0-9]{2}[0-9]{4}$/, 'ten digits of a North American number')
  .openapi({ description: 'The number of the account, ten digits.' })

/** The legacy style has numbers as integers too; a record shows its number with the country digit. */
export const legacyDn = z
  .preprocess((value) => {
    const text = typeof value === 'number' ? String(value) : value
    return typeof text === 'string' ? (tenDigitsOf(text) ?? text) : text
  }, dn)
  .openapi({
    type: 'string',
    description: 'The number of the account: ten digits, with the country digit or without.',
  })

export const callername = line(MAX_CALLER_NAME, 'The name that the dispatcher sees.')

export const addressid = z
  .number()
  .int()
  .min(1)
  .max(Number.MAX_SAFE_INTEGER)
  .openapi({ description: 'The id that the validation of the address has given.' })

const shownAddress = {
  address1: shownText('The house number and the street.'),
  address2: shownText('The second line; empty when there is none.'),
  city: shownText('The city.'),
  state: shownText('The two letters of the US state.'),
  zip: shownText('The ZIP code.'),
  addressid,
  source: shownText(
    'What has judged the address; local-syntax-only: its form alone, not whether the place exists.',
  ),
}

export const address = z.object(shownAddress).openapi('E911Address')

export const record = z
  .object({
    dn: shownText('The number, with its country digit.'),
    callername: shownText('The name that the dispatcher sees.'),
    ...shownAddress,
  })
  .openapi('E911Record')

type GivenAddress = Omit<PostalAddress, 'address2'> & { readonly address2?: string | undefined }

export function postalAddress(given: GivenAddress): PostalAddress {
  const { address1, address2 = '', city, state, zip } = given
  return { address1, address2, city, state, zip }
}

export function addressToWire(kept: KeptAddress): z.infer<typeof address> {
  const { addressId, address1, address2, city, state, zip, source } = kept
  return { addressid: addressId, address1, address2, city, state, zip, source }
}

export function recordToWire(stored: EmergencyRecord): z.infer<typeof record> {
  const { address1, address2, city, state, zip } = stored
  return {
    dn: stored.number.slice(1),
    callername: stored.callerName,
    address1,
    address2,
    city,
    state,
    zip,
    addressid: stored.addressId,
    source: stored.source,
  }
}
