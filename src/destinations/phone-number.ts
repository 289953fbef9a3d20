/** Telephone numbers in the forms that people write. Pure. */
import parseNumber, { type CountryCode, isSupportedCountry } from 'libphonenumber-js/max'

/** Digits with the separators people write between them. */
const NUMBER_LIKE = /^\+?[0-9(][0-9\s().-]{1,30}$/

/** A number in the form of E.164, whether or not there is such a number. */
export const E164 = /^\+[1-9]\d{6,14}$/

/**
 * Reads a number as E.164; undefined when the text is none. With regions, a number must be valid in
 * one of them or carry the country code of a valid number. Without regions, any plausible number
 * passes.
 */
export function readNumber(text: string, regions: readonly string[]): string | undefined {
  if (!NUMBER_LIKE.test(text)) return undefined
  return regions.length === 0 ? plausibleNumber(text) : validNumber(text, regions)
}

/** The digits as E.164, when they can be a number at all: the plan of no country is looked at. */
export function plausibleNumber(text: string): string | undefined {
  const digits = text.replace(/\D/g, '')
  // An E.164 number has at most fifteen digits, the first not 0. Ten digits alone are a North
  // American number.
  const full = !text.startsWith('+') && /^[2-9]\d{9}$/.test(digits) ? `1${digits}` : digits
  return /^[1-9]\d{6,14}$/.test(full) ? `+${full}` : undefined
}

function validNumber(text: string, regions: readonly string[]): string | undefined {
  for (const region of regions) {
    if (!isSupportedCountry(region)) continue
    const number = parseNumber(text, region)
    if (number?.isValid() === true && number.country === region) return number.number
  }
  return undefined
}

/** Maximum number of cached countries of numbers. */
const MAX_COUNTRIES = 1_000
/** The countries of the last numbers: each webhook of a call asks for the same two. */
const countries = new Map<string, CountryCode | undefined>()

/** The ISO country of a number, for the webhook's `FromCountry` and `ToCountry`. */
export function countryOf(text: string): CountryCode | undefined {
  if (!text.startsWith('+')) return undefined
  if (countries.has(text)) return countries.get(text)
  const country = parseNumber(text)?.country
  if (countries.size >= MAX_COUNTRIES) countries.clear()
  countries.set(text, country)
  return country
}

/** North America without the islands, whose numbers begin with +1 and cost as foreign ones do. */
const DOMESTIC: readonly (CountryCode | undefined)[] = [
  ...(['US', 'CA', 'PR', 'VI', 'GU', 'AS', 'MP'] as const),
  undefined,
]
/** `+1` and ten digits. */
const NANP_LENGTH = 12

/** True for a number of another country. The area code decides, whatever the length of the number. */
export function isAbroad(e164: string): boolean {
  if (!e164.startsWith('+1')) return true
  return !DOMESTIC.includes(countryOf(e164.slice(0, NANP_LENGTH).padEnd(NANP_LENGTH, '2')))
}
