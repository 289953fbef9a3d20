/** The addresses of a call: E.164 numbers and `sip:` URIs, in the notations that users write. Pure. */
import { plausibleNumber, readNumber } from '../../destinations/phone-number.js'
import { withoutSeparators } from '../../platform/sip-grammar/plain-uri.js'
import { parseHostport } from '../../platform/sip-grammar/uri.js'

export type CallAddress =
  | { readonly type: 'number'; readonly e164: string }
  /** A `sip:` URI, or `client:` plus the username of a registered softphone. */
  | { readonly type: 'sip'; readonly uri: string }

/** A SIP URI with the user and host characters of RFC 3261 §25.1; none of them can end a header. */
const SIP_URI =
  /^sips?:(?:[A-Za-z0-9\-_.!~*'()&=+$,;?/%#]{1,128}@)?((?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?)(?:[;?][^\s<>"@]{0,200})?$/
const MAX_SIP_URI = 256

/**
 * Parses an address; undefined when the text is neither a number nor a URI. The regions have the same meaning
 * as in `readNumber`.
 */
export function parseCallAddress(
  text: string,
  regions: readonly string[],
): CallAddress | undefined {
  const trimmed = text.trim()
  if (/^sips?:/i.test(trimmed)) {
    const uri = trimmed.replace(/^sip/i, 'sip')
    const hostport = SIP_URI.exec(uri)?.[1]
    const isSound = uri.length < MAX_SIP_URI && hostport !== undefined && parseHostport(hostport)
    return isSound ? { type: 'sip', uri } : undefined
  }
  const client = /^client:(.*)$/i.exec(trimmed)?.[1]
  if (client !== undefined)
    return isClientName(client) ? { type: 'sip', uri: `client:${client}` } : undefined
  const e164 = readNumber(trimmed, regions)
  return e164 === undefined ? undefined : { type: 'number', e164 }
}

/** True for a possible username of a softphone: one line of up to 121 characters. */
export function isClientName(text: string): boolean {
  return /^[^\p{Cc}]{1,121}$/u.test(text)
}

/** Returns the address as the API and webhooks show it. */
export function formatAddress(address: CallAddress): string {
  return address.type === 'number' ? address.e164 : address.uri
}

/** Returns a North American number as `(305) 191-3581`; any other address unchanged. */
export function displayAddress(text: string): string {
  const [, area, exchange, line] = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(text) ?? []
  return area === undefined ? text : `(${area}) ${exchange ?? ''}-${line ?? ''}`
}

/**
 * Returns the E.164 number in a SIP user part, in the notations of carriers: `+1555…`, `1555…`, `5551112222`,
 * with or without visual separators.
 */
export function numberFromSipUser(user: string | undefined): string | undefined {
  if (user === undefined) return undefined
  const bare = withoutSeparators(user.split(';')[0] ?? '')
  return /^\+?[0-9]{7,15}$/.test(bare) ? plausibleNumber(bare) : undefined
}
