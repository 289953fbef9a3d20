/** Parses telephone numbers in written forms. Pure. */
import parseNumber, { type CountryCode, isSupportedCountry } from 'libphonenumber-js/max'

/** Digits with the separators people write between them. */
const NUMBER_LIKE = /^\+?[0-9(][0-9\s().-]{1,30}$/

/** Matches the E.164 format, whether or not the number exists. */
export const E164 = /^\+[1-9]\d{6,14}$/

/**
 * Parses a number to E.164; undefined when the text is not a number. With regions, it must be valid in one of
 * them or carry the country code of a valid number. Without regions, any plausible number passes.
 */
export function readNumber(text: string, regions: readonly string[]): string | undefined {
  if (!NUMBER_LIKE.test(text)) return undefined
  return regions.length === 0 ? plausibleNumber(text) : validNumber(text, regions)
}

/** The digits as E.164 if their count is possible; no country's numbering plan is checked. */
export function plausibleNumber(text: string): string | undefined {
  const digits = text.replace(/\D/g, '')
  // An E.164 number has at most 15 digits and does not start with 0. Ten digits without a plus sign are a
  // North American number.
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
/** Cache of recent numbers' countries: each webhook of a call needs the same two. */
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

/** Countries of +1 that are domestic. Other islands with +1 are billed as foreign. */
const DOMESTIC: readonly (CountryCode | undefined)[] = [
  ...(['US', 'CA', 'PR', 'VI', 'GU', 'AS', 'MP'] as const),
  undefined,
]
/** Length of `+1` and ten digits. */
const NANP_LENGTH = 12

/** True for a foreign number. For +1 the area code decides, whatever the length of the number. */
export function isAbroad(e164: string): boolean {
  if (!e164.startsWith('+1')) return true
  return !DOMESTIC.includes(countryOf(e164.slice(0, NANP_LENGTH).padEnd(NANP_LENGTH, '2')))
}
