import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import { startRetention } from '../../platform/database/retention.js'
import type { Logger } from '../../platform/log.js'
import { removeEndedOrders } from './order-storage.js'

/**
 * Retention of ended orders, ms: longer than their key, and long enough to compare with the provider's bill.
 * The ledger keeps name and cost.
 */
export const ORDER_KEPT_MS = 90 * 24 * 3_600_000
const REMOVED_AT_ONCE = 500

/** Removes orders at the number provider that ended long ago, until disposed. */
export function startOrderRetention({
  db,
  clock,
  log,
}: {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
}): AsyncDisposable {
  return startRetention({
    name: 'old orders of numbers',
    log,
    removeSome: () => {
      const before = clock.now() - ORDER_KEPT_MS
      return db.write((tx) => removeEndedOrders(tx, before, REMOVED_AT_ONCE))
    },
  })
}
