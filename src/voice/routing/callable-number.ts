/** Judges whether a telephone number may be called. Pure. */
import parseNumber, { getCountries, getCountryCallingCode } from 'libphonenumber-js/max'
import type { Account } from '../../accounts/accounts.js'
import { parseCallAddress } from '../model/address.js'
import { type DestinationRules, mayCall } from './destination-rules.js'

export type NumberVerdict =
  | { readonly type: 'callable'; readonly e164: string }
  | { readonly type: 'not-a-number' | 'unknown-country' | 'other-country' | 'blocked' }

export interface NumberRules extends DestinationRules {
  /** ISO countries that may be called. An empty list allows any plausible number. */
  readonly regions: readonly string[]
}

/** The rules for an account, beside the operator's blocked prefixes. */
export function numberRulesOf(
  { phoneRegions, settings }: Account,
  blockedPrefixes: readonly string[],
): NumberRules {
  const { allowed = [], denied = [] } = settings.destinations ?? {}
  return { regions: phoneRegions, blockedPrefixes, allowed, denied }
}

/**
 * Country codes that belong to no country: satellite networks, international services (ITU-T
 * E.164.1).
 */
const SHARED_CODES = ['800', '808', '870', '878', '881', '882', '883', '888', '979']
const CODE_LENGTHS = [1, 2, 3]

export function judgeNumber(text: string, rules: NumberRules): NumberVerdict {
  const address = parseCallAddress(text, rules.regions)
  if (address?.type === 'number')
    return mayCall(address.e164, rules)
      ? { type: 'callable', e164: address.e164 }
      : { type: 'blocked' }
  const full = text.replaceAll(/[\s().-]/g, '')
  if (rules.regions.length === 0 || !/^\+[1-9]\d{6,14}$/.test(full)) return { type: 'not-a-number' }
  if (!hasCountryCode(full)) return { type: 'unknown-country' }
  return { type: parseNumber(full)?.isValid() === true ? 'other-country' : 'not-a-number' }
}

/** True when the number begins with a country code. No code is the beginning of another one. */
function hasCountryCode(e164: string): boolean {
  const codes = CODE_LENGTHS.map((length) => e164.slice(1, 1 + length))
  return (
    codes.some((code) => SHARED_CODES.includes(code)) ||
    getCountries().some((country) => codes.includes(getCountryCallingCode(country)))
  )
}
