import { randomBytes } from 'node:crypto'

/** A resource identifier: two letters that say what it is, then 32 hex digits. */
export type Sid<Prefix extends string> = `${Prefix}${string}` & { readonly __sid: Prefix }

export type AccountSid = Sid<'AC'>
export type CallSid = Sid<'CA'>
export type PhoneNumberSid = Sid<'PN'>

export function newSid<Prefix extends string>(prefix: Prefix): Sid<Prefix> {
  // The one place that makes identifiers, so the one place that may call a string one.
  return `${prefix}${randomBytes(16).toString('hex')}` as Sid<Prefix>
}

/**
 * Reads an identifier; undefined for anything else. Upper-case hex is accepted, as people type it.
 */
export function parseSid<Prefix extends string>(
  prefix: Prefix,
  text: string,
): Sid<Prefix> | undefined {
  const isSid =
    text.length === 34 && text.startsWith(prefix) && /^[0-9a-fA-F]{32}$/.test(text.slice(2))
  return isSid ? (`${prefix}${text.slice(2).toLowerCase()}` as Sid<Prefix>) : undefined
}
