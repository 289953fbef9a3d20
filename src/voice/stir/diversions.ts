/**
 * The path of a diverted call in its PASSporTs (RFC 8946 §4.2): the `shaken` one names the number
 * called first, and each `div` one a number that diverted the call. Pure.
 */
import { canonical } from './canonical.js'
import type { DivClaims, Passport, Signed } from './passport.js'

export type Diversion = Signed<DivClaims>

/**
 * Returns the diversions from the number in the PASSporT to the called number, in order; an empty
 * list when the PASSporT names the called number itself. Undefined when they do not connect the
 * two. A diversion with another caller is ignored.
 */
export function diversionsTo(
  called: string,
  { claims }: Pick<Passport, 'claims'>,
  diversions: readonly Diversion[],
): readonly Diversion[] | undefined {
  const ofCaller = diversions.filter(
    (each) => canonical(each.claims.orig) === canonical(claims.orig),
  )
  return wayTo(canonical(called), claims.dest, ofCaller)
}

function wayTo(
  called: string,
  first: readonly string[],
  diversions: readonly Diversion[],
): readonly Diversion[] | undefined {
  if (isAmong(called, first)) return []
  for (const last of diversions) {
    if (!isAmong(called, last.claims.dest)) continue
    const others = diversions.filter((each) => each !== last)
    const before = wayTo(canonical(last.claims.div), first, others)
    if (before !== undefined) return [...before, last]
  }
  return undefined
}

function isAmong(number: string, numbers: readonly string[]): boolean {
  return numbers.some((each) => canonical(each) === number)
}
