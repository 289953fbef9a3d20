import { randomBytes } from 'node:crypto'

/** A resource identifier: two letters for its type, then 32 hex digits. */
export type Sid<Prefix extends string> = `${Prefix}${string}` & { readonly __sid: Prefix }

export type AccountSid = Sid<'AC'>
export type CallSid = Sid<'CA'>
export type PhoneNumberSid = Sid<'PN'>

const SID_BYTES = 16
/** Number of identifiers for which random bytes are drawn at once, since each draw is expensive. */
const SIDS_AT_ONCE = 128
let random = Buffer.alloc(0)

export function newSid<Prefix extends string>(prefix: Prefix): Sid<Prefix> {
  if (random.length === 0) random = randomBytes(SIDS_AT_ONCE * SID_BYTES)
  const hex = random.toString('hex', 0, SID_BYTES)
  random = random.subarray(SID_BYTES)
  // The one place that makes identifiers, so the one place that may call a string one.
  return `${prefix}${hex}` as Sid<Prefix>
}

/** Parses an identifier; undefined for anything else. Upper-case hex is accepted. */
export function parseSid<Prefix extends string>(
  prefix: Prefix,
  text: string,
): Sid<Prefix> | undefined {
  if (text.length !== 34 || !text.startsWith(prefix)) return undefined
  if (/^..[0-9a-f]{32}$/.test(text)) return text as Sid<Prefix> // as it is written here
  const isSid = /^[0-9a-fA-F]{32}$/.test(text.slice(2))
  return isSid ? (`${prefix}${text.slice(2).toLowerCase()}` as Sid<Prefix>) : undefined
}

/** The 32 hex digits of a UUID in lower case; undefined for anything else. */
export function hexOfUuid(text: string): string | undefined {
  const isUuid = text.length === 36 && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
  return isUuid ? text.replaceAll('-', '').toLowerCase() : undefined
}
