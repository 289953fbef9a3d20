/** The operator's inventory: numbers that accounts can search and claim. */
import type { Clock } from '../platform/clock.js'
import {
  boundedTotal,
  COUNT_LIMIT,
  type Count,
  countOf,
  type Total,
} from '../platform/database/bounded-total.js'
import type { Database, Reader } from '../platform/database/database.js'
import { toLikePattern } from './contains-pattern.js'
import {
  type InventoryKind,
  type InventoryNumber,
  microdegrees,
  type Place,
  toInventoryNumber,
  toInventoryRow,
} from './inventory-number.js'
import type { PortedNumbers } from './ported-numbers.js'
import { syntheticInventory } from './synthetic-inventory.js'

export interface InventorySearch {
  readonly country: string
  readonly kind: InventoryKind
  readonly areaCode?: string | undefined
  /** A checked pattern; see `isContainsPattern`. */
  readonly contains?: string | undefined
  readonly region?: string | undefined
  readonly locality?: string | undefined
  readonly postalCode?: string | undefined
  readonly rateCenter?: string | undefined
  readonly lata?: string | undefined
  readonly can?: { readonly [Name in keyof InventoryNumber['capabilities']]?: boolean | undefined }
  /** Only numbers within this many miles, nearest first. */
  readonly near?: { readonly place: Place; readonly miles: number } | undefined
}

export interface SearchPage {
  readonly limit: number
  readonly offset: number
  /** The page starts after, or ends before, this number; not used with `near`. */
  readonly cursor?: { readonly e164: string; readonly side: 'after' | 'before' } | undefined
}

export interface Found extends Total {
  readonly items: readonly InventoryNumber[]
  readonly hasMore: boolean
}

export interface StockOfCountry {
  readonly country: string
  readonly kinds: readonly InventoryKind[]
}

/** A number of the inventory, with the account that holds it. */
export interface StockedNumber extends InventoryNumber {
  readonly heldBy: string | undefined
}

export interface InventoryFilter {
  /** Prefix of the numbers. */
  readonly prefix?: string | undefined
  readonly country?: string | undefined
  readonly isHeld?: boolean | undefined
}

export interface Inventory {
  /** The free numbers that match, in the order of the numbers or of nearness. */
  search(search: InventorySearch, page: SearchPage): Promise<Found>
  /** Countries of the inventory's numbers. */
  countries(): Promise<readonly StockOfCountry[]>
  /** Place of the number, or of the known number that shares most leading digits. */
  placeOf(e164: string): Promise<Place | undefined>
  /** All numbers of the inventory in their order, after `after`. */
  list(
    filter: InventoryFilter,
    page: { readonly limit: number; readonly after: string | undefined },
  ): Promise<readonly StockedNumber[]>
  /** Removes a number from the inventory; its holder keeps it. */
  remove(e164: string): Promise<boolean>
  /** Adds the missing synthetic numbers; resolves with their count. */
  addSynthetic(): Promise<number>
}

/** Number of rows per write. */
const WRITTEN_AT_ONCE = 500
/** Miles per degree of latitude. */
const MILES_PER_DEGREE = 69.05
/** Prefix lengths for the search of a place: exchange, then area code. */
const NEIGHBOURS = [8, 5]

export interface InventoryDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly ported: PortedNumbers
}

export function createInventory({ db, clock, ported }: InventoryDeps): Inventory {
  return {
    search: (search, page) => searchInventory({ read: db.read, ported }, search, page),
    countries: () => stockByCountry(db.read),
    placeOf: (e164) => placeOf(db.read, e164),
    list: (filter, page) => listInventory(db.read, filter, page),
    remove: async (e164) => {
      const removed = await db.write((tx) =>
        tx.deleteFrom('phone_number_inventory').where('phoneNumber', '=', e164).executeTakeFirst(),
      )
      return removed.numDeletedRows > 0n
    },
    addSynthetic: () => addSynthetic(db, clock.now()),
  }
}

async function addSynthetic(db: Database, now: number): Promise<number> {
  const rows = syntheticInventory().map((number) => toInventoryRow(number, now))
  let added = 0
  for (let from = 0; from < rows.length; from += WRITTEN_AT_ONCE) {
    const some = rows.slice(from, from + WRITTEN_AT_ONCE)
    const { numInsertedOrUpdatedRows = 0n } = await db.write((tx) =>
      tx
        .insertInto('phone_number_inventory')
        .values(some)
        .onConflict((known) => known.column('phoneNumber').doNothing())
        .executeTakeFirst(),
    )
    added += Number(numInsertedOrUpdatedRows)
  }
  return added
}

/** The first free numbers of an area code. */
export async function availableIn(
  read: Reader,
  ported: PortedNumbers,
  areaCode: string,
  limit: number,
): Promise<readonly InventoryNumber[]> {
  const rows = await freeNumbers({ read, ported })
    .where('areaCode', '=', areaCode)
    .orderBy('phoneNumber')
    .limit(limit)
    .execute()
  return rows.map(toInventoryNumber)
}

export async function findInInventory(
  read: Reader,
  e164: string,
): Promise<InventoryNumber | undefined> {
  const row = await read
    .selectFrom('phone_number_inventory')
    .selectAll()
    .where('phoneNumber', '=', e164)
    .executeTakeFirst()
  return row && toInventoryNumber(row)
}

/** Sources of free numbers. */
export interface Stock {
  readonly read: Reader
  readonly ported: PortedNumbers
}

/** Numbers of the inventory that are neither held nor in an open port. */
export function freeNumbers({ read, ported }: Stock) {
  return unheldNumbers(read).where((eb) =>
    eb.not(eb.exists(ported.rowsOf(read, eb.ref('phone_number_inventory.phoneNumber')))),
  )
}

/** Numbers of the inventory that nobody holds. */
export function unheldNumbers(read: Reader) {
  return read
    .selectFrom('phone_number_inventory')
    .selectAll('phone_number_inventory')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('phone_numbers')
            .select('phone_numbers.sid')
            .whereRef('phone_numbers.phoneNumber', '=', 'phone_number_inventory.phoneNumber'),
        ),
      ),
    )
}

function matching(stock: Stock, search: InventorySearch) {
  const { contains, can = {}, near } = search
  let query = freeNumbers(stock)
    .where('country', '=', search.country)
    .where('kind', '=', search.kind)
  const exact = {
    areaCode: search.areaCode,
    region: search.region,
    locality: search.locality,
    postalCode: search.postalCode,
    rateCenter: search.rateCenter,
    lata: search.lata,
  } as const
  for (const [column, value] of Object.entries(exact) as [keyof typeof exact, string?][])
    if (value !== undefined) query = query.where(column, '=', value)
  const abilities = {
    canVoice: can.voice,
    canSms: can.sms,
    canMms: can.mms,
    canFax: can.fax,
  } as const
  for (const [column, value] of Object.entries(abilities) as [keyof typeof abilities, boolean?][])
    if (value !== undefined) query = query.where(column, '=', Number(value))
  if (contains !== undefined)
    query = query.where('phone_number_inventory.phoneNumber', 'like', toLikePattern(contains))
  if (near === undefined) return query
  const { south, north, west, east } = boxAround(near)
  return query
    .where((eb) => eb.between('latitude', south, north))
    .where((eb) => eb.between('longitude', west, east))
}

async function searchInventory(
  stock: Stock,
  search: InventorySearch,
  page: SearchPage,
): Promise<Found> {
  if (search.near !== undefined) return await searchNear(stock, search, search.near, page)
  const { cursor, limit, offset } = page
  const isBackwards = cursor?.side === 'before'
  let query = matching(stock, search)
  if (cursor !== undefined)
    query = query.where('phone_number_inventory.phoneNumber', isBackwards ? '<' : '>', cursor.e164)
  const rows = await query
    .orderBy('phone_number_inventory.phoneNumber', isBackwards ? 'desc' : 'asc')
    .limit(limit + 1)
    .offset(cursor === undefined ? offset : 0)
    .execute()
  const items = rows.slice(0, limit)
  if (isBackwards) items.reverse()
  const hasMore = isBackwards || rows.length > limit
  const seen = { ...page, shown: items.length, hasMore: hasMore && items.length > 0 }
  const total = boundedTotal(await countMatching(stock, search), seen)
  return { items: items.map(toInventoryNumber), ...total, hasMore }
}

/** Maximum number of candidates that are sorted by distance. */
const MAX_NEAR = 5_000

async function searchNear(
  stock: Stock,
  search: InventorySearch,
  near: NonNullable<InventorySearch['near']>,
  { limit, offset }: SearchPage,
): Promise<Found> {
  const rows = await matching(stock, search)
    .orderBy('phone_number_inventory.phoneNumber')
    .limit(MAX_NEAR)
    .execute()
  const within = rows
    .map(toInventoryNumber)
    .map((number) => ({ number, miles: milesBetween(near.place, number.place) }))
    .filter(({ miles }) => miles <= near.miles)
    .sort((a, b) => a.miles - b.miles || (a.number.e164 < b.number.e164 ? -1 : 1))
    .map(({ number }) => number)
  const items = within.slice(offset, offset + limit)
  const hasMore = offset + items.length < within.length
  const totalIs = rows.length < MAX_NEAR ? 'exact' : 'lower-bound'
  return { items, total: within.length, totalIs, hasMore }
}

async function countMatching(stock: Stock, search: InventorySearch): Promise<Count> {
  const counted = matching(stock, search)
    .clearSelect()
    .select('phone_number_inventory.phoneNumber')
    .limit(COUNT_LIMIT)
  const row = await stock.read
    .selectFrom(counted.as('counted'))
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return countOf(row.total)
}

function boxAround({ place, miles }: { readonly place: Place; readonly miles: number }) {
  const tall = miles / MILES_PER_DEGREE
  const { latitude, longitude } = place
  // Near a pole every meridian is close.
  const narrowing = Math.cos((Math.min(Math.abs(latitude) + tall, 89.9) * Math.PI) / 180)
  const wide = Math.min(tall / narrowing, 180)
  return {
    south: microdegrees(latitude - tall),
    north: microdegrees(latitude + tall),
    west: microdegrees(longitude - wide),
    east: microdegrees(longitude + wide),
  }
}

/** Returns the great-circle distance in miles, by the haversine formula. */
function milesBetween(a: Place, b: Place | undefined): number {
  if (b === undefined) return Number.POSITIVE_INFINITY
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  const half = (one: number, other: number) => Math.sin(radians(one - other) / 2) ** 2
  const chord =
    half(a.latitude, b.latitude) +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * half(a.longitude, b.longitude)
  return 2 * Math.asin(Math.min(1, Math.sqrt(chord))) * MILES_PER_DEGREE * (180 / Math.PI)
}

async function stockByCountry(read: Reader): Promise<readonly StockOfCountry[]> {
  const rows = await read
    .selectFrom('phone_number_inventory_counts')
    .select(['country', 'kind'])
    .where('numbers', '>', 0)
    .orderBy('country')
    .orderBy('kind')
    .execute()
  const kinds = new Map<string, InventoryKind[]>()
  for (const { country, kind } of rows) kinds.set(country, [...(kinds.get(country) ?? []), kind])
  return [...kinds].map(([country, of]) => ({ country, kinds: of }))
}

async function placeOf(read: Reader, e164: string): Promise<Place | undefined> {
  const known = await findInInventory(read, e164)
  if (known?.place !== undefined) return known.place
  for (const length of NEIGHBOURS) {
    if (e164.length <= length) continue
    const row = await read
      .selectFrom('phone_number_inventory')
      .selectAll()
      .where('phoneNumber', 'like', `${e164.slice(0, length)}%`)
      .where('latitude', 'is not', null)
      .orderBy('phoneNumber')
      .limit(1)
      .executeTakeFirst()
    if (row !== undefined) return toInventoryNumber(row).place
  }
  return undefined
}

async function listInventory(
  read: Reader,
  { prefix, country, isHeld }: InventoryFilter,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<readonly StockedNumber[]> {
  let query = read
    .selectFrom('phone_number_inventory as stock')
    .leftJoin('phone_numbers as held', 'held.phoneNumber', 'stock.phoneNumber')
    .selectAll('stock')
    .select('held.accountSid as held_by')
  if (prefix !== undefined) query = query.where('stock.phoneNumber', 'like', `${prefix}%`)
  if (country !== undefined) query = query.where('stock.country', '=', country)
  if (after !== undefined) query = query.where('stock.phoneNumber', '>', after)
  if (isHeld !== undefined) query = query.where('held.accountSid', isHeld ? 'is not' : 'is', null)
  const rows = await query.orderBy('stock.phoneNumber').limit(limit).execute()
  return rows.map((row) => ({ ...toInventoryNumber(row), heldBy: row.held_by ?? undefined }))
}
