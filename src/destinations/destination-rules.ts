/**
 * Rules for the numbers that an account may call or send messages to; every outgoing call and message passes
 * them. Pure.
 */
import parseNumber, {
  getCountries,
  getCountryCallingCode,
  validatePhoneNumberLength,
} from 'libphonenumber-js/max'
import type { Account } from '../accounts/accounts.js'
import { countryOf, E164, isAbroad, readNumber } from './phone-number.js'
import { isWritableCode } from './short-code.js'

export interface DestinationRules {
  /** ISO codes of the countries that may be called. An empty list allows any plausible number. */
  readonly regions: readonly string[]
  /**
   * Prefixes blocked for all accounts by the operator, such as `+1900`; prefixes of short codes have no plus
   * sign.
   */
  readonly blockedPrefixes: readonly string[]
  /** The account's allowed prefixes. If there are any, all other numbers are blocked. */
  readonly allowed: readonly string[]
  /** The account's denied prefixes; the longer match of `allowed` and `denied` wins. */
  readonly denied: readonly string[]
  /**
   * Whether foreign numbers are allowed in general; a region or an allowed prefix opens its own numbers in
   * any case.
   */
  readonly abroad: 'open' | 'closed'
}

export type DestinationVerdict =
  | { readonly type: 'open'; readonly e164: string }
  | {
      readonly type:
        | 'not-a-number'
        | 'unknown-country'
        /** The number's country is not among `regions`. */
        | 'other-country'
        /** The number is foreign, and the account lacks the service for international calls. */
        | 'abroad'
        | 'blocked'
    }

/**
 * Premium-rate prefixes from the national numbering plans. Every number with such a prefix is premium,
 * whatever its length: carriers ignore surplus digits.
 */
const PREMIUM_PREFIXES: readonly string[] = [
  // North America
  '+1900',
  // Satellite and international networks, the international premium rate service (E.164.1, E.169.2)
  ...['+870', '+881', '+882', '+883', '+979'],
  // The Netherlands, Belgium, France, Spain
  ...['+31900', '+31906', '+31909', '+3290', '+3389', '+34803', '+34806', '+34807'],
  // Finland, Hungary, Italy
  ...['+358600', '+3690', '+39892', '+39894', '+39895', '+39899'],
  // Switzerland, Austria, the United Kingdom, Sweden, Germany
  ...['+41900', '+41901', '+41906', '+43900', '+43901', '+43930', '+43931', '+43939'],
  ...['+4490', '+4491', '+4498', '+46900', '+46939', '+46944', '+49900'],
  // Australia, New Zealand, Japan
  ...['+61190', '+64900', '+81990'],
]

/**
 * Premium numbers that share a prefix with landlines and are longer; `from` is their minimum length with the
 * plus sign. Ireland's 15xx numbers, next to Dublin's landlines.
 */
const LONG_PREMIUM: readonly { readonly prefix: string; readonly from: number }[] = [
  { prefix: '+35315', from: 14 },
]

/** The rules for an account, together with the operator's blocked prefixes. */
export function destinationRulesOf(
  { phoneRegions, profile, settings }: Pick<Account, 'phoneRegions' | 'profile' | 'settings'>,
  blockedPrefixes: readonly string[],
): DestinationRules {
  const { allowed = [], denied = [] } = settings.destinations ?? {}
  const abroad = profile.services.intl ? 'open' : 'closed'
  return { regions: phoneRegions, blockedPrefixes, allowed, denied, abroad }
}

/** Checks a number in any written form against the rules. */
export function judgeDestination(text: string, rules: DestinationRules): DestinationVerdict {
  const e164 = readNumber(text.trim(), rules.regions)
  return e164 === undefined ? { type: whyNotRead(text, rules) } : judgeE164(e164, rules)
}

/**
 * Checks a short code against the rules. Its country is that of the sender's number. Only the account's
 * prefix `+` (every number) applies to it, since a short code has no E.164 prefix.
 */
export function judgeShortCode(
  code: string,
  sender: string,
  rules: DestinationRules,
): DestinationVerdict['type'] {
  const { regions, abroad, blockedPrefixes, allowed, denied } = rules
  if (!isWritableCode(code)) return 'not-a-number'
  const isOpen = allowed.length === 0 || allowed.includes(EVERYTHING)
  const isBarred = blockedPrefixes.some((prefix) => code.startsWith(prefix))
  if (isBarred || !isOpen || denied.includes(EVERYTHING)) return 'blocked'
  const country = countryOf(sender)
  if (regions.length > 0) return regions.some((each) => each === country) ? 'open' : 'other-country'
  return abroad === 'closed' && isAbroad(sender) ? 'abroad' : 'open'
}

function judgeE164(e164: string, rules: DestinationRules): DestinationVerdict {
  const { regions, abroad, allowed } = rules
  if (isBlocked(e164, rules)) return { type: 'blocked' }
  if (isTooLong(e164)) return { type: 'not-a-number' }
  const isNamed = regions.length > 0 || longestOf(e164, allowed) > EVERYTHING.length
  if (abroad === 'closed' && !isNamed && isAbroad(e164)) return { type: 'abroad' }
  return { type: 'open', e164 }
}

/** The prefix that matches every number. */
const EVERYTHING = '+'

/** Premium numbers are blocked unless an allowed prefix longer than `+` matches. */
function isBlocked(
  e164: string,
  { allowed, blockedPrefixes, denied }: Omit<DestinationRules, 'regions' | 'abroad'>,
): boolean {
  if (blockedPrefixes.some((prefix) => e164.startsWith(prefix))) return true
  const allows = longestOf(e164, allowed)
  const denies = longestOf(e164, denied)
  if (denies > 0 && denies >= allows) return true
  if (isPremium(e164)) return allows <= EVERYTHING.length
  return allowed.length > 0 && allows === 0
}

/** Length of the longest matching prefix; 0 when none matches. */
function longestOf(e164: string, prefixes: readonly string[]): number {
  return Math.max(
    0,
    ...prefixes.filter((prefix) => e164.startsWith(prefix)).map(({ length }) => length),
  )
}

/** Prefixes come first: the library returns no type for a number of the wrong length. */
function isPremium(e164: string): boolean {
  return (
    PREMIUM_PREFIXES.some((prefix) => e164.startsWith(prefix)) ||
    LONG_PREMIUM.some(({ prefix, from }) => e164.startsWith(prefix) && e164.length >= from) ||
    completionsOf(e164).some((number) => parseNumber(number)?.getType() === 'PREMIUM_RATE')
  )
}

/** Numbers of digits that are removed from a number of the wrong length, or added to it. */
const STEPS = [1, 2, 3, 4]
const FILLERS = ['0', '5']

/**
 * Numbers that a carrier may reach when the dialled one is invalid in its country's plan: it drops surplus
 * digits, and missing digits may follow. In North America the prefix alone decides.
 */
function completionsOf(e164: string): readonly string[] {
  if (e164.startsWith('+1') || parseNumber(e164)?.isValid() === true) return [e164]
  return STEPS.flatMap((step) => [
    e164.slice(0, -step),
    ...FILLERS.map((filler) => e164 + filler.repeat(step)),
  ])
}

/**
 * Countries with open numbering plans: an extension may follow a number, so none is too long (ITU-T E.164
 * allows 15 digits). Germany, Austria, Luxembourg, Finland, Italy, Indonesia.
 */
const OPEN_PLANS = ['+49', '+43', '+352', '+358', '+39', '+62']

/** True for a number longer than its country's plan allows: carriers drop or bill the surplus digits. */
function isTooLong(e164: string): boolean {
  return (
    validatePhoneNumberLength(e164) === 'TOO_LONG' &&
    !OPEN_PLANS.some((prefix) => e164.startsWith(prefix))
  )
}

/** Country codes of no country: satellite networks and international services (ITU-T E.164.1). */
const SHARED_CODES = ['800', '808', '870', '878', '881', '882', '883', '888', '979']
const CODE_LENGTHS = [1, 2, 3]

function whyNotRead(
  text: string,
  { regions }: DestinationRules,
): 'not-a-number' | 'unknown-country' | 'other-country' {
  const full = text.replaceAll(/[\s().-]/g, '')
  if (regions.length === 0 || !E164.test(full)) return 'not-a-number'
  if (!hasCountryCode(full)) return 'unknown-country'
  return parseNumber(full)?.isValid() === true ? 'other-country' : 'not-a-number'
}

/** True when the number starts with a country code. No country code is a prefix of another. */
function hasCountryCode(e164: string): boolean {
  const codes = CODE_LENGTHS.map((length) => e164.slice(1, 1 + length))
  return (
    codes.some((code) => SHARED_CODES.includes(code)) ||
    getCountries().some((country) => codes.includes(getCountryCallingCode(country)))
  )
}
