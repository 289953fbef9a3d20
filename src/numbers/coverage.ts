/** Coverage: how many numbers can be ordered, by place or by digits. */
import type { Clock } from '../platform/clock.js'
import type { BlockFilter, NumberBlock } from './number-blocks.js'

export const GROUPINGS = ['state', 'city', 'rateCenter', 'npanxx', 'block'] as const
export type Grouping = (typeof GROUPINGS)[number]

export interface CoverageQuery {
  readonly countBy: Grouping
  readonly filter: BlockFilter
}

/** A group of numbers; a field in which its numbers differ is empty. */
export type CoverageItem = NumberBlock

export interface Coverage {
  /** Lists the groups that have numbers, ordered by digits or names. */
  count(query: CoverageQuery): Promise<readonly CoverageItem[]>
}

/** Time for which an answer is cached, ms. */
export const COVERAGE_KEPT_MS = 600_000
const MAX_ANSWERS = 200

/** Fields that the numbers of a group share, sort fields first. */
const SHARED: Readonly<Record<Grouping, readonly (keyof Omit<NumberBlock, 'count'>)[]>> = {
  state: ['state'],
  city: ['state', 'city'],
  rateCenter: ['state', 'rateCenter', 'lata'],
  npanxx: ['npa', 'nxx', 'rateCenter', 'city', 'state', 'lata'],
  block: ['npa', 'nxx', 'block', 'rateCenter', 'city', 'state', 'lata'],
}
const NOWHERE: Omit<NumberBlock, 'count'> = {
  npa: '',
  nxx: '',
  block: '',
  rateCenter: '',
  city: '',
  state: '',
  lata: '',
}

/**
 * Counts the numbers from `free`. Blocks and answers are cached for ten minutes, for both styles of the API.
 */
export function createCoverage({
  clock,
  free,
}: {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly free: () => Promise<readonly NumberBlock[]>
}): Coverage {
  let known: KnownBlocks | undefined
  return {
    count: async (query) => {
      const now = clock.monotonic()
      if (known === undefined || known.until <= now)
        known = { until: now + COVERAGE_KEPT_MS, blocks: free(), answers: new Map() }
      const { blocks, answers } = known
      const key = JSON.stringify(query)
      const kept = answers.get(key)
      if (kept !== undefined) return kept
      const counted = countBlocks(await blocksOrNothing(blocks, () => (known = undefined)), query)
      if (answers.size < MAX_ANSWERS) answers.set(key, counted)
      return counted
    },
  }
}

interface KnownBlocks {
  readonly until: number
  readonly blocks: Promise<readonly NumberBlock[]>
  readonly answers: Map<string, readonly CoverageItem[]>
}

/** A failure is not cached: the next request reads the blocks again. */
async function blocksOrNothing(
  blocks: Promise<readonly NumberBlock[]>,
  forget: () => void,
): Promise<readonly NumberBlock[]> {
  try {
    return await blocks
  } catch (error) {
    forget()
    throw error
  }
}

/** Counts the matching numbers of blocks by group. Pure. */
export function countBlocks(
  blocks: readonly NumberBlock[],
  { countBy, filter }: CoverageQuery,
): readonly CoverageItem[] {
  const shared = SHARED[countBy]
  const groups = new Map<string, { of: NumberBlock; count: number }>()
  for (const block of blocks) {
    if (!isMatch(block, filter)) continue
    const key = shared.map((name) => block[name]).join('\n')
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { of: block, count: block.count })
    else group.count += block.count
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map(([, { of, count }]) => {
      const texts = Object.fromEntries(shared.map((name) => [name, of[name]]))
      return { ...NOWHERE, ...texts, count }
    })
}

/** Compares place names case-insensitively. */
function isMatch(block: NumberBlock, filter: BlockFilter): boolean {
  return Object.entries(filter).every(
    ([name, wanted]: [string, string | undefined]) =>
      wanted === undefined ||
      block[name as keyof BlockFilter].toLowerCase() === wanted.toLowerCase(), // its own names
  )
}
