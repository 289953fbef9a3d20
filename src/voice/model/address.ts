/** The two ends of a call in the forms that people write: E.164 numbers and `sip:` URIs. Pure. */
import parseNumber, { type CountryCode, isSupportedCountry } from 'libphonenumber-js/max'
import { parseHostport } from '../../platform/sip-grammar/uri.js'

export type CallAddress =
  | { readonly type: 'number'; readonly e164: string }
  /** A `sip:` URI, or `client:` and the user name of a registered softphone. */
  | { readonly type: 'sip'; readonly uri: string }

/**
 * A SIP URI of RFC 3261 §25.1 user and host characters; none of them can end a header or start
 * another.
 */
const SIP_URI =
  /^sips?:(?:[A-Za-z0-9\-_.!~*'()&=+$,;?/%#]{1,128}@)?((?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?)(?:[;?][^\s<>"@]{0,200})?$/
const MAX_SIP_URI = 256
/** Digits with the separators people write between them. */
const NUMBER_LIKE = /^\+?[0-9(][0-9\s().-]{1,30}$/

/**
 * Reads an address; undefined when the text is neither a number nor a URI. With regions, a number
 * must be valid in one of them or carry the country code of a valid number. Without regions, any
 * plausible number passes.
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
  if (!NUMBER_LIKE.test(trimmed)) return undefined
  const e164 = regions.length === 0 ? plausibleNumber(trimmed) : validNumber(trimmed, regions)
  return e164 === undefined ? undefined : { type: 'number', e164 }
}

/** True for what can be the name of a registered softphone: one line of text. */
export function isClientName(text: string): boolean {
  return /^[^\p{Cc}]{1,121}$/u.test(text)
}

function plausibleNumber(text: string): string | undefined {
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

/** The address as the API and webhooks show it. */
export function formatAddress(address: CallAddress): string {
  return address.type === 'number' ? address.e164 : address.uri
}

/** The most numbers whose country is remembered. */
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

/** The number as `(305) 191-3581` when it is North American; any other address as it is. */
export function displayAddress(text: string): string {
  const [, area, exchange, line] = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(text) ?? []
  return area === undefined ? text : `(${area}) ${exchange ?? ''}-${line ?? ''}`
}

/** Four groups of digits with dots: an address of a host, which devices write as a user. */
const HOST_ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/

/** A telephone number without its visual separators, which mean nothing (RFC 3966 §4). */
export function withoutSeparators(user: string): string {
  const isNumber = /^\+?[0-9().-]+$/.test(user) && !HOST_ADDRESS.test(user)
  return isNumber ? user.replace(/[().-]/g, '') : user
}

/**
 * The E.164 number in a SIP user part in the forms that carriers write: `+1555…`, `1555…`,
 * `5551112222`, with visual separators or without.
 */
export function numberFromSipUser(user: string | undefined): string | undefined {
  if (user === undefined) return undefined
  const bare = withoutSeparators(user.split(';')[0] ?? '')
  return /^\+?[0-9]{7,15}$/.test(bare) ? plausibleNumber(bare) : undefined
}
