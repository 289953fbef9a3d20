/** Rates of calls and messages by number prefix. */
import type { Reader, Writer } from '../platform/database/database.js'
import type { Selectable } from '../platform/database/tables.js'
import type { Rate } from './rate.js'
import type { RatesTable } from './tables.js'

/** Subject of a rate: calls by direction, or outbound messages. */
export const DIRECTIONS = ['inbound', 'outbound', 'sms', 'mms'] as const
export type Direction = (typeof DIRECTIONS)[number]

export interface PrefixRate extends Rate {
  /** The account that the rate applies to; empty for the default of all accounts. */
  readonly accountSid: string
  readonly direction: Direction
  readonly prefix: string
  readonly description: string
}

type Key = Pick<PrefixRate, 'accountSid' | 'direction' | 'prefix'>

/** Maximum length of a prefix: `+` and 15 digits. */
const MAX_PREFIX = 16

/**
 * The rate of a number: the longest matching prefix wins, then the order of `accountSids`. Default rates come
 * last.
 */
export async function findRate(
  read: Reader,
  accountSids: readonly string[],
  direction: Direction,
  number: string,
): Promise<Rate | undefined> {
  const owners = [...accountSids, '']
  const rows = await read
    .selectFrom('rates')
    .select(['accountSid', 'prefix', 'perMinute', 'minimumSeconds', 'incrementSeconds'])
    .where('accountSid', 'in', owners)
    .where('direction', '=', direction)
    .where('prefix', 'in', prefixesOf(number))
    .execute()
  const [best] = rows.sort(
    (a, b) =>
      b.prefix.length - a.prefix.length ||
      owners.indexOf(a.accountSid) - owners.indexOf(b.accountSid),
  )
  return best && toRate(best)
}

/** Stores rates; a rate of the same account, direction and prefix is replaced. */
export async function putRates(
  tx: Writer,
  rates: readonly PrefixRate[],
  now: number,
): Promise<void> {
  if (rates.length === 0) return
  await tx
    .insertInto('rates')
    .values(
      rates.map((rate) => ({
        accountSid: rate.accountSid,
        direction: rate.direction,
        prefix: rate.prefix,
        perMinute: rate.perMinute,
        minimumSeconds: rate.minimumSeconds,
        incrementSeconds: rate.incrementSeconds,
        description: rate.description,
        updatedAt: now,
      })),
    )
    .onConflict((known) =>
      known.columns(['accountSid', 'direction', 'prefix']).doUpdateSet((set) => ({
        perMinute: set.ref('excluded.perMinute'),
        minimumSeconds: set.ref('excluded.minimumSeconds'),
        incrementSeconds: set.ref('excluded.incrementSeconds'),
        description: set.ref('excluded.description'),
        updatedAt: now,
      })),
    )
    .execute()
}

/** Resolves with how many of these rates are already stored. */
export async function countKnown(tx: Writer, rates: readonly PrefixRate[]): Promise<number> {
  let count = 0
  for (const [owner, direction] of groupsOf(rates)) {
    const prefixes = rates
      .filter((rate) => rate.accountSid === owner && rate.direction === direction)
      .map(({ prefix }) => prefix)
    const row = await tx
      .selectFrom('rates')
      .select((select) => select.fn.countAll<number>().as('known'))
      .where('accountSid', '=', owner)
      .where('direction', '=', direction)
      .where('prefix', 'in', prefixes)
      .executeTakeFirstOrThrow()
    count += row.known
  }
  return count
}

/** Removes a rate; false when there is none. */
export async function removeRate(tx: Writer, key: Key): Promise<boolean> {
  const removed = await tx
    .deleteFrom('rates')
    .where('accountSid', '=', key.accountSid)
    .where('direction', '=', key.direction)
    .where('prefix', '=', key.prefix)
    .executeTakeFirst()
  return removed.numDeletedRows > 0n
}

/** The rates of one account, or the default ones, sorted by direction and prefix. */
export async function listRates(
  read: Reader,
  accountSid: string,
  page: {
    readonly limit: number
    readonly after?: Pick<PrefixRate, 'direction' | 'prefix'> | undefined
  },
): Promise<readonly PrefixRate[]> {
  const { after } = page
  let query = read.selectFrom('rates').selectAll().where('accountSid', '=', accountSid)
  if (after !== undefined)
    query = query.where((where) =>
      where(where.refTuple('direction', 'prefix'), '>', where.tuple(after.direction, after.prefix)),
    )
  const rows = await query.orderBy('direction').orderBy('prefix').limit(page.limit).execute()
  return rows.map((row) => ({
    accountSid: row.accountSid,
    direction: row.direction,
    prefix: row.prefix,
    description: row.description,
    ...toRate(row),
  }))
}

/** True when any rate is stored, so that a call may cost something. */
export async function hasAnyRate(read: Reader): Promise<boolean> {
  const rate = await read.selectFrom('rates').select('prefix').limit(1).executeTakeFirst()
  if (rate !== undefined) return true
  const nibble = await read
    .selectFrom('account_rates')
    .select('accountSid')
    .where('nibble', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return nibble !== undefined
}

function prefixesOf(number: string): string[] {
  const length = Math.min(number.length, MAX_PREFIX)
  return Array.from({ length }, (_, index) => number.slice(0, index + 1))
}

function groupsOf(rates: readonly PrefixRate[]): (readonly [string, Direction])[] {
  const groups = rates.map((rate) => [rate.accountSid, rate.direction] as const)
  return [...new Map(groups.map((group) => [group.join(' '), group])).values()]
}

function toRate(
  row: Pick<Selectable<RatesTable>, 'perMinute' | 'minimumSeconds' | 'incrementSeconds'>,
): Rate {
  return {
    perMinute: row.perMinute,
    minimumSeconds: row.minimumSeconds,
    incrementSeconds: row.incrementSeconds,
  }
}
