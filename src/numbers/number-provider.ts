/** Sources of numbers to order: the local inventory, and the operator's seller. */
import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import { COVERAGE_KEPT_MS, type Coverage, countBlocks, createCoverage } from './coverage.js'
import type { OfferedNumber } from './inventory-number.js'
import { type MaskSearch, searchByMask } from './inventory-search.js'
import { freeBlocks } from './number-blocks.js'
import type { NumberSeller } from './number-seller.js'
import type { PortedNumbers } from './ported-numbers.js'

export interface NumberProvider {
  /** Finds numbers that can be ordered, in order. */
  search(search: MaskSearch): Promise<readonly OfferedNumber[]>
  readonly coverage: Coverage
}

export interface NumberProviderDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'monotonic'>
  readonly ported: PortedNumbers
}

/** The provider that offers the operator's inventory. */
export function createLocalProvider({ db, clock, ported }: NumberProviderDeps): NumberProvider {
  return {
    search: (search) => searchByMask({ read: db.read, ported }, search),
    coverage: createCoverage({ clock, free: () => freeBlocks({ read: db.read, ported }) }),
  }
}

/** Maximum number of cached answers of a seller. */
const MAX_ANSWERS = 200
/** Numbers per query. */
const AT_ONCE = 500

/**
 * Combines the inventory with a seller's numbers, without those that accounts hold or port in. Rejects with
 * NumberProviderError while the seller does not answer.
 */
export function createProviderBeside(
  deps: NumberProviderDeps,
  seller: Pick<NumberSeller, 'search' | 'count'>,
): NumberProvider {
  const local = createLocalProvider(deps)
  const coverage = createSellerCoverage(deps.clock, seller)
  return {
    search: async (search) => {
      const [own, sold] = await Promise.all([local.search(search), seller.search(search)])
      const offers = new Map(sold.map((each) => [each.e164, each]))
      for (const taken of await takenOf(deps, [...offers.keys()])) offers.delete(taken)
      for (const each of own) offers.set(each.e164, each)
      return [...offers.values()].toSorted(byNumber).slice(0, search.limit)
    },
    coverage: {
      count: async (query) => {
        const [own, sold] = await Promise.all([local.coverage.count(query), coverage.count(query)])
        return countBlocks([...own, ...sold], { countBy: query.countBy, filter: {} })
      },
    },
  }
}

const byNumber = (a: OfferedNumber, b: OfferedNumber): number =>
  a.e164 < b.e164 ? -1 : Number(a.e164 > b.e164)

/** Coverage of a seller; each answer is cached for ten minutes. */
function createSellerCoverage(
  clock: Pick<Clock, 'monotonic'>,
  seller: Pick<NumberSeller, 'count'>,
): Coverage {
  const answers = new Map<string, { until: number; counted: ReturnType<Coverage['count']> }>()
  return {
    count: async (query) => {
      const now = clock.monotonic()
      const key = JSON.stringify(query)
      const kept = answers.get(key)
      if (kept !== undefined && kept.until > now) return await kept.counted
      const asked = { until: now + COVERAGE_KEPT_MS, counted: seller.count(query) }
      if (answers.size >= MAX_ANSWERS) answers.clear()
      answers.set(key, asked)
      try {
        return await asked.counted
      } catch (error) {
        // A failure is not cached: the next request asks again.
        if (answers.get(key) === asked) answers.delete(key)
        throw error
      }
    },
  }
}

/** Returns those of the numbers that are held or in an open port. */
async function takenOf(
  { db: { read }, ported }: NumberProviderDeps,
  e164s: readonly string[],
): Promise<readonly string[]> {
  const taken: string[] = []
  for (let from = 0; from < e164s.length; from += AT_ONCE) {
    const some = e164s.slice(from, from + AT_ONCE)
    const rows = await read
      .selectFrom('phone_numbers')
      .select('phoneNumber')
      .where('phoneNumber', 'in', some)
      .execute()
    taken.push(...rows.map((row) => row.phoneNumber), ...(await ported.among(read, some)))
  }
  return taken
}
