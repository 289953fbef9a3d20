import { createLedger, type Ledger } from '../../../src/ledger/ledger.js'

/** A ledger without notifications. */
export function quietLedger(): Ledger {
  return createLedger({
    onLow: () => Promise.resolve(),
    thresholdOf: () => Promise.resolve(undefined),
  })
}
