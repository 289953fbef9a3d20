/** Converts numbers to and from a carrier's notation. Pure. */
import { withoutSeparators } from '../../platform/sip-grammar/plain-uri.js'
import { numberFromSipUser } from '../model/address.js'
import type { NumberRules } from './carrier.js'

/** Returns the called number for the Request-URI of an INVITE to the carrier. */
export function calledNumberFor(e164: string, rules: NumberRules): string {
  return `${rules.techPrefix}${numberFor(e164, rules)}`
}

/** Returns a number in the carrier's notation; text that is not E.164 is unchanged. */
export function numberFor(e164: string, rules: NumberRules): string {
  if (!/^\+\d+$/.test(e164)) return e164
  const digits = e164.slice(1)
  switch (rules.format) {
    case 'e164':
      return e164
    case 'digits':
      return digits
    case 'national': {
      const { countryCode, internationalPrefix, trunkPrefix } = rules
      return digits.startsWith(countryCode)
        ? `${trunkPrefix}${digits.slice(countryCode.length)}`
        : `${internationalPrefix}${digits}`
    }
  }
}

/** Returns the E.164 number in the user of a carrier's SIP URI; undefined when there is none. */
export function numberFrom(user: string | undefined, rules: NumberRules): string | undefined {
  const bare = withoutSeparators(user?.split(';')[0] ?? '')
  return numberFromSipUser(
    rules.format === 'national' && /^\d+$/.test(bare) ? ofNational(bare, rules) : bare,
  )
}

/** RFC 3966 §5.1.5: a local number depends on its context, here the carrier's country. */
function ofNational(digits: string, rules: NumberRules): string {
  const { countryCode, internationalPrefix, trunkPrefix } = rules
  if (internationalPrefix !== '' && digits.startsWith(internationalPrefix))
    return `+${digits.slice(internationalPrefix.length)}`
  if (trunkPrefix !== '')
    return digits.startsWith(trunkPrefix)
      ? `+${countryCode}${digits.slice(trunkPrefix.length)}`
      : `+${digits}`
  // Without a trunk prefix, a long number that begins with the country code includes it.
  return digits.startsWith(countryCode) && digits.length > 10
    ? `+${digits}`
    : `+${countryCode}${digits}`
}
