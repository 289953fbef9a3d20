/** Searches for numbers that can be ordered by a mask of their digits. */
import type { Reader } from '../platform/database/database.js'
import { isSameName } from '../platform/database/text-search.js'
import { freeNumbers, type Stock } from './inventory.js'
import { type InventoryNumber, toInventoryNumber } from './inventory-number.js'
import { type BlockFilter, blocksOf, placeNames } from './number-blocks.js'
import { fillsOf, fitsMask } from './number-mask.js'

export interface MaskSearch {
  /** Ten digits and underscores; see `readMask`. */
  readonly mask: string
  readonly filter: BlockFilter
  readonly limit: number
}

/** Number of trailing digits that a block leaves open. */
const LAST = 3
/** Batch size per query, so that no query delays others. */
const AT_ONCE = 500
/** Minimum batch of the first query. */
const MIN_NAMED = 50
/** Above this number of candidates a block is scanned instead. */
const MAX_FILLS = 100

/**
 * Returns the free numbers that match, in order. Scans only the inventory's blocks, one after another, until
 * there are enough.
 */
export async function searchByMask(
  stock: Stock,
  { mask, filter, limit }: MaskSearch,
): Promise<readonly InventoryNumber[]> {
  const found: InventoryNumber[] = []
  const prefixes = await prefixesFor(stock.read, mask, filter)
  for (const look of looksFor(prefixes, mask.slice(-LAST), limit)) {
    if (found.length >= limit) break
    found.push(...(await lookUp(stock, look, { filter, limit: limit - found.length })))
  }
  return found
}

/** Seven-digit prefixes of the blocks that match the mask, in order. */
async function prefixesFor(
  read: Reader,
  mask: string,
  filter: BlockFilter,
): Promise<readonly string[]> {
  const head = mask.slice(0, -LAST)
  const known = (digits: string) => (digits.includes('_') ? undefined : digits)
  const blocks = await blocksOf(read, {
    ...filter,
    npa: known(head.slice(0, 3)) ?? filter.npa,
    nxx: known(head.slice(3, 6)),
    block: known(head.slice(6)),
  })
  const prefixes = blocks.map(({ npa: area, nxx, block }) => `${area}${nxx}${block}`)
  return [...new Set(prefixes)].filter((prefix) => fitsMask(head, prefix))
}

/** One query: these numbers, or all with a prefix that match its mask. */
type Look =
  | { readonly type: 'numbers'; readonly e164s: readonly string[] }
  | { readonly type: 'block'; readonly prefix: string; readonly tail: string }

function* looksFor(prefixes: readonly string[], tail: string, limit: number): Generator<Look> {
  const fills = [...fillsOf(tail)]
  if (fills.length > MAX_FILLS) {
    for (const prefix of prefixes) yield { type: 'block', prefix, tail }
    return
  }
  // Most numbers are free, so the first query names few more than wanted.
  let named = Math.min(AT_ONCE, Math.max(MIN_NAMED, 2 * limit))
  let from = 0
  while (from < prefixes.length) {
    const some = prefixes.slice(from, from + Math.max(1, Math.floor(named / fills.length)))
    const e164s = some.flatMap((prefix) => fills.map((fill) => `+1${prefix}${fill}`))
    yield { type: 'numbers', e164s }
    from += some.length
    named = Math.min(AT_ONCE, 2 * named)
  }
}

async function lookUp(
  stock: Stock,
  look: Look,
  { filter, limit }: Pick<MaskSearch, 'filter' | 'limit'>,
): Promise<readonly InventoryNumber[]> {
  let query = freeNumbers(stock)
  if (look.type === 'numbers')
    query = query.where('phone_number_inventory.phoneNumber', 'in', look.e164s)
  else
    query = query
      .where('phone_number_inventory.phoneNumber', '>=', `+1${look.prefix}`)
      .where('phone_number_inventory.phoneNumber', '<', `+1${look.prefix}:`) // ':' follows '9'
      .where('phone_number_inventory.phoneNumber', 'like', `+1${look.prefix}${look.tail}`)
  if (filter.lata !== undefined) query = query.where('lata', '=', filter.lata)
  for (const [column, name] of placeNames(filter))
    query = query.where((each) => isSameName(each.ref(column), name))
  const rows = await query.orderBy('phone_number_inventory.phoneNumber').limit(limit).execute()
  return rows.map(toInventoryNumber)
}
