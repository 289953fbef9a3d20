/** US postal codes and states. Pure. */
import type { Tables } from '../data/tables.js'

export function isZipOfState(postalCode: string, state: string, tables: Tables): boolean {
  const prefix = postalCode.slice(0, 3)
  const ranges = tables.usStates[state]?.zipPrefixes ?? []
  return ranges.some(([from, to]) => prefix >= from && prefix <= to)
}
