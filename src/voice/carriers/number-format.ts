/** Numbers as a carrier writes them. Pure. */
import { withoutSeparators } from '../../platform/sip-grammar/plain-uri.js'
import { numberFromSipUser } from '../model/address.js'
import type { NumberRules } from './carrier.js'

/** The called number for the Request-URI of an INVITE to the carrier. */
export function calledNumberFor(e164: string, rules: NumberRules): string {
  return `${rules.techPrefix}${numberFor(e164, rules)}`
}

/** A number as the carrier writes it; text that is no number in E.164 stays as it is. */
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

/** The E.164 number that the carrier means by the user of a SIP URI; undefined when it means none. */
export function numberFrom(user: string | undefined, rules: NumberRules): string | undefined {
  const bare = withoutSeparators(user?.split(';')[0] ?? '')
  return numberFromSipUser(
    rules.format === 'national' && /^\d+$/.test(bare) ? ofNational(bare, rules) : bare,
  )
}

/** RFC 3966 §5.1.5 leaves a local number to its context: here, the carrier's country. */
function ofNational(digits: string, rules: NumberRules): string {
  const { countryCode, internationalPrefix, trunkPrefix } = rules
  if (internationalPrefix !== '' && digits.startsWith(internationalPrefix))
    return `+${digits.slice(internationalPrefix.length)}`
  if (trunkPrefix !== '')
    return digits.startsWith(trunkPrefix)
      ? `+${countryCode}${digits.slice(trunkPrefix.length)}`
      : `+${digits}`
  // Without a trunk prefix, a number that begins with the country code has it.
  return digits.startsWith(countryCode) && digits.length > 10
    ? `+${digits}`
    : `+${countryCode}${digits}`
}
