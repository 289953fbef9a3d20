/**
 * The way of a diverted call, as its PASSporTs tell it (RFC 8946 §4.2): the one of `shaken` speaks of
 * the number that was called first, and each `div` of one number that sent the call on. Pure.
 */
import { canonical } from './canonical.js'
import type { DivClaims, Passport, Signed } from './passport.js'

export type Diversion = Signed<DivClaims>

/**
 * The diversions that lead from the number in the PASSporT to the called one, the first one first;
 * none when the PASSporT is for the called number itself. Undefined when they do not lead there.
 * A diversion that speaks of another caller leads nowhere.
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
