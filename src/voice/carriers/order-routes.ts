/** Orders carriers for a call. Pure. */
import { isInRanges } from '../../platform/cidr.js'
import type { Carrier } from './carrier.js'

/** Returns the carrier whose addresses include this source. */
export function carrierAt(carriers: readonly Carrier[], address: string): Carrier | undefined {
  return carriers.find((carrier) => isInRanges(address, carrier.addresses))
}

/**
 * Returns the enabled carriers by longest prefix, then by priority. A weighted random draw decides the first
 * place; the others are fallbacks. Carriers that are down come last.
 */
export function orderRoutes(
  carriers: readonly Carrier[],
  e164: string,
  random: number,
  isUp: (carrier: Carrier) => boolean = () => true,
): readonly Carrier[] {
  return ordered(carriers, (carrier) => longestPrefix(carrier, e164), random, isUp)
}

/** Orders the enabled carriers for emergency calls in the same way, without prefixes. */
export function orderEmergencyRoutes(
  carriers: readonly Carrier[],
  random: number,
  isUp: (carrier: Carrier) => boolean = () => true,
): readonly Carrier[] {
  return ordered(carriers, ({ settings }) => Number(settings.isEmergency), random, isUp)
}

/** Carriers with a match length of 0 are omitted. */
function ordered(
  carriers: readonly Carrier[],
  lengthOf: (carrier: Carrier) => number,
  random: number,
  isUp: (carrier: Carrier) => boolean,
): readonly Carrier[] {
  const matches = carriers
    .filter((carrier) => carrier.settings.isEnabled)
    .map((carrier) => ({ carrier, length: lengthOf(carrier), isUp: isUp(carrier) }))
    .filter((match) => match.length > 0)
    .sort(
      (a, b) =>
        Number(b.isUp) - Number(a.isUp) ||
        b.length - a.length ||
        a.carrier.priority - b.carrier.priority,
    )
  const best = matches[0]
  if (best === undefined) return []
  const isPeer = (match: (typeof matches)[number]) =>
    match.isUp === best.isUp &&
    match.length === best.length &&
    match.carrier.priority === best.carrier.priority
  const peers = matches.filter(isPeer).map((match) => match.carrier)
  const first = weightedPick(peers, random)
  const others = matches.map((match) => match.carrier).filter((carrier) => carrier !== first)
  return first === undefined ? others : [first, ...others]
}

function longestPrefix(carrier: Carrier, e164: string): number {
  const lengths = carrier.prefixes
    .filter((prefix) => e164.startsWith(prefix))
    .map((prefix) => prefix.length)
  return Math.max(0, ...lengths)
}

function weightedPick(carriers: readonly Carrier[], random: number): Carrier | undefined {
  const total = carriers.reduce((sum, carrier) => sum + carrier.weight, 0)
  let rest = random * total
  return carriers.find((carrier) => (rest -= carrier.weight) < 0) ?? carriers[0]
}
