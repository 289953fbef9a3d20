/** Blocks of a thousand numbers in the inventory, with their free numbers. */
import type { Reader } from '../platform/database/database.js'
import type { Selectable } from '../platform/database/tables.js'
import { isSameName } from '../platform/database/text-search.js'
import { type Stock, unheldNumbers } from './inventory.js'
import type { PhoneNumberInventoryTable } from './tables.js'

/** A block of a thousand numbers at one place; unknown texts are empty. */
export interface NumberBlock {
  readonly npa: string
  readonly nxx: string
  /** The first of the last four digits. */
  readonly block: string
  readonly rateCenter: string
  readonly city: string
  readonly state: string
  readonly lata: string
  /** Number of its numbers, held or not. */
  readonly count: number
}

export interface BlockFilter {
  readonly npa?: string | undefined
  readonly state?: string | undefined
  readonly city?: string | undefined
  readonly rateCenter?: string | undefined
  readonly lata?: string | undefined
}

/** Digits to filter blocks by, beside their place. */
export interface BlockDigits {
  readonly npa?: string | undefined
  readonly nxx?: string | undefined
  readonly block?: string | undefined
}

/** Held numbers read per query, so that no query delays others. */
const HELD_AT_ONCE = 5_000
/** Numbers of open ports per query. */
const PORTED_AT_ONCE = 500

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
    rateCenter: row.rateCenter,
    city: row.locality,
    state: row.region,
    lata: row.lata,
    count: row.numbers,
  }))
}

/** The columns of names of places that the filter wants, with the names. */
export function placeNames({ state, city, rateCenter }: BlockFilter) {
  const wanted = { region: state, locality: city, rateCenter } as const
  return (Object.entries(wanted) as [keyof typeof wanted, string?][]).filter(
    (each): each is [keyof typeof wanted, string] => each[1] !== undefined,
  )
}

/** Returns the blocks that have free numbers. */
export async function freeBlocks(stock: Stock): Promise<readonly NumberBlock[]> {
  const taken = new Map<string, number>()
  await countHeld(stock.read, taken)
  await countPorted(stock, taken)
  return (await blocksOf(stock.read))
    .map((block) => ({ ...block, count: block.count - (taken.get(keyOf(block)) ?? 0) }))
    .filter(({ count }) => count > 0)
}

/** Adds the held numbers of the inventory to the counts of their blocks. */
async function countHeld(read: Reader, counts: Map<string, number>): Promise<void> {
  let after = ''
  for (;;) {
    const rows = await read
      .selectFrom('phone_numbers as held')
      .leftJoin('phone_number_inventory as stock', 'stock.phoneNumber', 'held.phoneNumber')
      .select([
        'held.phoneNumber',
        'stock.areaCode',
        'stock.rateCenter',
        'stock.locality',
        'stock.region',
        'stock.lata',
      ])
      .where('held.phoneNumber', '>', after)
      .orderBy('held.phoneNumber')
      .limit(HELD_AT_ONCE)
      .execute()
    for (const row of rows) countRow(row, counts)
    const last = rows.at(-1)
    if (last === undefined || rows.length < HELD_AT_ONCE) return
    after = last.phoneNumber
  }
}

/** Adds the numbers of open ports that nobody holds to the counts of their blocks. */
async function countPorted({ read, ported }: Stock, counts: Map<string, number>): Promise<void> {
  let after = ''
  for (;;) {
    const e164s = await ported.list(read, { after, limit: PORTED_AT_ONCE })
    const last = e164s.at(-1)
    if (last === undefined) return
    const rows = await unheldNumbers(read).where('phoneNumber', 'in', e164s).execute()
    for (const row of rows) countRow(row, counts)
    after = last
  }
}

type PlacedRow = Pick<
  Selectable<PhoneNumberInventoryTable>,
  'phoneNumber' | 'areaCode' | 'rateCenter' | 'locality' | 'region' | 'lata'
>

/** Adds a number to the count of its block; one outside North America has none. */
function countRow(row: PlacedRow, counts: Map<string, number>): void {
  if (row.areaCode === null) return
  const key = keyOf({
    npa: row.areaCode,
    nxx: row.phoneNumber.slice(5, 8),
    block: row.phoneNumber.slice(8, 9),
    rateCenter: row.rateCenter ?? '',
    city: row.locality ?? '',
    state: row.region ?? '',
    lata: row.lata ?? '',
  })
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function keyOf(block: Omit<NumberBlock, 'count'>): string {
  const { npa, nxx, block: digit, rateCenter, city, state, lata } = block
  return [npa, nxx, digit, rateCenter, city, state, lata].join('\n')
}
