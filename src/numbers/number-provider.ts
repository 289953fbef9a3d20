/** Where numbers to order come from: the local inventory, or the provider of the operator. */
import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import { type Coverage, createCoverage } from './coverage.js'
import type { InventoryNumber } from './inventory-number.js'
import { type MaskSearch, searchByMask } from './inventory-search.js'
import { freeBlocks } from './number-blocks.js'

/** A number that can be ordered; what is not known of its place is undefined. */
export type OfferedNumber = Pick<
  InventoryNumber,
  'e164' | 'locality' | 'region' | 'rateCenter' | 'lata'
>

export interface NumberProvider {
  /** Finds numbers that can be ordered, in their order. */
  search(search: MaskSearch): Promise<readonly OfferedNumber[]>
  readonly coverage: Coverage
}

/** The provider that offers the operator's inventory. */
export function createLocalProvider({
  db,
  clock,
}: {
  readonly db: Database
  readonly clock: Pick<Clock, 'monotonic'>
}): NumberProvider {
  return {
    search: (search) => searchByMask(db.read, search),
    coverage: createCoverage({ clock, free: () => freeBlocks(db.read) }),
  }
}
