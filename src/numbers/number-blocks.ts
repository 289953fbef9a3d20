/** The blocks of a thousand numbers that the inventory has, and what is free in each. */
import type { Reader } from '../platform/database/database.js'
import { isSameName } from '../platform/database/text-search.js'

/** A block of a thousand numbers at one place; texts that are not known are empty. */
export interface NumberBlock {
  readonly npa: string
  readonly nxx: string
  /** The first of the last four digits. */
  readonly block: string
  readonly rateCenter: string
  readonly city: string
  readonly state: string
  readonly lata: string
  /** The numbers of it, whether or not somebody holds them. */
  readonly count: number
}

export interface BlockFilter {
  readonly npa?: string | undefined
  readonly state?: string | undefined
  readonly city?: string | undefined
  readonly rateCenter?: string | undefined
  readonly lata?: string | undefined
}

/** The digits that blocks are wanted with, beside their place. */
export interface BlockDigits {
  readonly npa?: string | undefined
  readonly nxx?: string | undefined
  readonly block?: string | undefined
}

/** The held numbers that one query reads, so that none keeps others waiting. */
const HELD_AT_ONCE = 5_000

/** The blocks of North America that have numbers, in the order of their digits. */
export async function blocksOf(
  read: Reader,
  filter: BlockFilter & BlockDigits = {},
): Promise<readonly NumberBlock[]> {
  let query = read
    .selectFrom('phone_number_inventory_blocks')
    .selectAll()
    .where('numbers', '>', 0)
    .where('npa', '<>', '')
  const exact = {
    npa: filter.npa,
    nxx: filter.nxx,
    block: filter.block,
    lata: filter.lata,
  } as const
  for (const [column, value] of Object.entries(exact) as [keyof typeof exact, string?][])
    if (value !== undefined) query = query.where(column, '=', value)
  for (const [column, name] of placeNames(filter))
    query = query.where((each) => isSameName(each.ref(column), name))
  const rows = await query.orderBy('npa').orderBy('nxx').orderBy('block').execute()
  return rows.map((row) => ({
    npa: row.npa,
    nxx: row.nxx,
    block: row.block,
    rateCenter: row.rate_center,
    city: row.locality,
    state: row.region,
    lata: row.lata,
    count: row.numbers,
  }))
}

/** The columns of names of places that the filter wants, with the names. */
export function placeNames({ state, city, rateCenter }: BlockFilter) {
  const wanted = { region: state, locality: city, rate_center: rateCenter } as const
  return (Object.entries(wanted) as [keyof typeof wanted, string?][]).filter(
    (each): each is [keyof typeof wanted, string] => each[1] !== undefined,
  )
}

/** The blocks with the numbers that nobody holds; one without any is left out. */
export async function freeBlocks(read: Reader): Promise<readonly NumberBlock[]> {
  const held = await heldByBlock(read)
  return (await blocksOf(read))
    .map((block) => ({ ...block, count: block.count - (held.get(keyOf(block)) ?? 0) }))
    .filter(({ count }) => count > 0)
}

/** The held numbers of the inventory, counted by block. */
async function heldByBlock(read: Reader): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  let after = ''
  for (;;) {
    const rows = await read
      .selectFrom('phone_numbers as held')
      .leftJoin('phone_number_inventory as stock', 'stock.phone_number', 'held.phone_number')
      .select([
        'held.phone_number',
        'stock.area_code',
        'stock.rate_center',
        'stock.locality',
        'stock.region',
        'stock.lata',
      ])
      .where('held.phone_number', '>', after)
      .orderBy('held.phone_number')
      .limit(HELD_AT_ONCE)
      .execute()
    for (const row of rows) {
      if (row.area_code === null) continue
      const key = keyOf({
        npa: row.area_code,
        nxx: row.phone_number.slice(5, 8),
        block: row.phone_number.slice(8, 9),
        rateCenter: row.rate_center ?? '',
        city: row.locality ?? '',
        state: row.region ?? '',
        lata: row.lata ?? '',
      })
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < HELD_AT_ONCE) return counts
    after = last.phone_number
  }
}

function keyOf(block: Omit<NumberBlock, 'count'>): string {
  const { npa, nxx, block: digit, rateCenter, city, state, lata } = block
  return [npa, nxx, digit, rateCenter, city, state, lata].join('\n')
}
