import type { Tables } from '../data/tables.js'
import { refuse } from '../model/registry-error.js'

const OUTAGES = {
  VETTING_PARTNER: [620, 'the vetting partner is unavailable, try again later'],
  NUMBER_REGISTRY: [630, 'the number registry is unavailable, try again later'],
} as const

/**
 * Throws 620 or 630 while the table `decisions` lists the system as down. Clients use this to test
 * outages.
 */
export function demand(
  { tables }: { readonly tables: Pick<Tables, 'decisions'> },
  system: keyof typeof OUTAGES,
): void {
  if (!tables.decisions.outages.includes(system)) return
  const [code, why] = OUTAGES[system]
  throw refuse(code, [], why)
}
