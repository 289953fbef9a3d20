/** A company whose numbers are ordered for accounts, one order of ours at a time. */
import { AdapterError } from '../platform/errors.js'
import type { CoverageItem, CoverageQuery } from './coverage.js'
import type { Capabilities } from './held-numbers.js'
import type { OfferedNumber } from './inventory-number.js'
import type { MaskSearch } from './inventory-search.js'

/** An order as the seller gets it. The same key always comes with the same numbers. */
export interface SellerOrder {
  /** Name of the order, by which the seller detects repetitions. */
  readonly key: string
  /** The numbers in E.164. */
  readonly numbers: readonly string[]
}

/** Outcome of one number of an order. */
export type SoldNumber =
  | { readonly type: 'sold'; readonly e164: string; readonly capabilities: Capabilities }
  | { readonly type: 'refused'; readonly e164: string; readonly reason: string | undefined }

/**
 * The state of an order. `pending`: the seller works on it. `refused`: it sold nothing and never will
 * under this key. `answered`: one entry for each number of the order.
 */
export type SellerAnswer =
  | { readonly type: 'pending' }
  | { readonly type: 'refused'; readonly reason: string | undefined }
  | { readonly type: 'answered'; readonly numbers: readonly SoldNumber[] }

/** Every method rejects with NumberProviderError; the state of an order is then not known. */
export interface NumberSeller {
  /** Finds numbers that can be ordered, in their order. */
  search(search: MaskSearch): Promise<readonly OfferedNumber[]>
  /** Counts the numbers that can be ordered. */
  count(query: CoverageQuery): Promise<readonly CoverageItem[]>
  /** Places an order. The seller places the order of one key once, however often it is sent. */
  order(order: SellerOrder): Promise<SellerAnswer>
  /** The state of an order; undefined when the seller has never received it. */
  find(order: SellerOrder): Promise<SellerAnswer | undefined>
  /** Gives back a number that an order brought; one that was given back before is left alone. */
  giveBack(key: string, e164: string): Promise<void>
}

/** The provider did not answer, or not as it should. */
export class NumberProviderError extends AdapterError {
  override readonly name = 'NumberProviderError'
}
