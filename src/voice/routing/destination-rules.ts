/** Which numbers an account may call. Pure. */
import parseNumber from 'libphonenumber-js/max'
import { PREMIUM_PREFIXES } from './premium-prefixes.js'

export interface DestinationRules {
  /** The operator's prefixes that no account may call, such as `+1900`. */
  readonly blockedPrefixes: readonly string[]
  /** The account's own prefixes. With one, every number that begins with none of them is closed. */
  readonly allowed: readonly string[]
  /** The account's prefixes that it may not call; the longer one of both lists decides. */
  readonly denied: readonly string[]
}

/** True when the account may call the number. Premium numbers are closed until it is allowed them. */
export function mayCall(
  e164: string,
  { allowed, blockedPrefixes, denied }: DestinationRules,
): boolean {
  if (blockedPrefixes.some((prefix) => e164.startsWith(prefix))) return false
  const allows = longestOf(e164, allowed)
  const denies = longestOf(e164, denied)
  if (denies > 0 && denies >= allows) return false
  if (isPremium(e164)) return allows > '+'.length
  return allowed.length === 0 || allows > 0
}

/** By prefix first: the library gives no type to a number of the wrong length. */
function isPremium(e164: string): boolean {
  return (
    PREMIUM_PREFIXES.some((prefix) => e164.startsWith(prefix)) ||
    parseNumber(e164)?.getType() === 'PREMIUM_RATE'
  )
}

/** The length of the longest prefix that the number begins with; 0 when none fits. */
function longestOf(e164: string, prefixes: readonly string[]): number {
  return Math.max(
    0,
    ...prefixes.filter((prefix) => e164.startsWith(prefix)).map(({ length }) => length),
  )
}
