import { createLedger, type Ledger } from '../../../src/ledger/ledger.js'

/** A ledger that notifies nobody. */
export function quietLedger(): Ledger {
  return createLedger({
    onLow: () => Promise.resolve(),
    thresholdOf: () => Promise.resolve(undefined),
  })
}
