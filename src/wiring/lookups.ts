/** Wires look-ups of caller names and routes. */
import type { Ledger } from '../ledger/ledger.js'
import { createLookupProvider } from '../lookups/create-provider.js'
import { createLookups, type Lookups } from '../lookups/lookups.js'
import type { Base } from './base.js'

export function wireLookups(base: Base, ledger: Ledger): Lookups {
  const { clock, config, db } = base
  const provider = createLookupProvider(base, config.lookupProvider)
  return createLookups({ db, clock, ledger, provider })
}
