/** Pages of brands. A page's cost depends neither on the number of brands nor on the page's number. */
import type { Reader } from '../../platform/database/database.js'
import { type OffsetPage, readPage } from '../../platform/database/offset-page.js'
import {
  countWithText,
  hasPart,
  idsWithText,
  MIN_TRIGRAM_CHARS,
} from '../../platform/database/text-search.js'
import { type EntityType, type IdentityStatus, plainEin } from '../rules/brand.js'
import { tagKey } from '../rules/tag.js'
import { type Brand, countBrands, parseBrand, referenceKey } from './brands.js'
import { BRAND_NAMES, BRANDS_PER_BLOCK } from './tables/brand-tables.js'

export interface BrandFilter {
  readonly referenceId?: string | undefined
  readonly displayName?: string | undefined
  readonly entityType?: EntityType | undefined
  readonly identityStatus?: IdentityStatus | undefined
  readonly status: 'ACTIVE' | 'DELETED'
  readonly state?: string | undefined
  readonly country?: string | undefined
  readonly ein?: string | undefined
  readonly universalEin?: string | undefined
  readonly resellerId?: string | undefined
  readonly tag: readonly string[]
  readonly mock?: boolean | undefined
  readonly authenticationPlusCompliant?: boolean | undefined
}

/** Lists a page in the order of registration, so that new brands do not shift earlier pages. */
export async function listBrands(
  db: Reader,
  cspId: string,
  filter: BrandFilter,
  page: OffsetPage,
): Promise<{ items: Brand[]; total: number }> {
  const found = isUnfiltered(filter)
    ? await pageOfAll(db, cspId, filter.status, page)
    : await pageOfMatching(db, cspId, filter, page)
  // Only the page's own records are read whole.
  const rows =
    found.ids.length === 0
      ? []
      : await db
          .selectFrom('registry_brands')
          .select('record')
          .where('id', 'in', found.ids)
          .orderBy('id')
          .execute()
  return { items: rows.map(parseBrand), total: found.total }
}

interface FoundPage {
  readonly ids: readonly number[]
  readonly total: number
}

function isUnfiltered({ status: _, tag, ...rest }: BrandFilter): boolean {
  return tag.length === 0 && Object.values(rest).every((value) => value === undefined)
}

/** Skips whole blocks by their counts, then single rows within one block. */
async function pageOfAll(
  db: Reader,
  cspId: string,
  status: 'ACTIVE' | 'DELETED',
  { offset, limit }: OffsetPage,
): Promise<FoundPage> {
  const total = await countBrands(db, cspId, status)
  if (offset >= total) return { ids: [], total }
  const blocks = await db
    .selectFrom('registry_brand_blocks')
    .select(['block', 'brands'])
    .where('cspId', '=', cspId)
    .where('status', '=', status)
    .orderBy('block')
    .execute()
  let skipped = 0
  const first = blocks.find(({ brands }) => {
    if (skipped + brands > offset) return true
    skipped += brands
    return false
  })
  const rows = await db
    .selectFrom('registry_brands')
    .select('id')
    .where('cspId', '=', cspId)
    .where('status', '=', status)
    .where('id', '>=', (first?.block ?? 0) * BRANDS_PER_BLOCK)
    .orderBy('id')
    .offset(offset - skipped)
    .limit(limit)
    .execute()
  return { ids: rows.map(({ id }) => id), total }
}

async function pageOfMatching(
  db: Reader,
  cspId: string,
  filter: BrandFilter,
  page: OffsetPage,
): Promise<FoundPage> {
  const named = await nameCandidates(db, filter.displayName)
  const matching = filtered(db, cspId, filter, named)
  const { rows, total } = await readPage(matching.select('id').orderBy('id'), page)
  return { ids: rows.map(({ id }) => id), total }
}

/**
 * Maximum number of candidates by trigram. A more frequent part of a name is searched in the
 * covering index instead.
 */
const MAX_CANDIDATES = 2_000

/** The part of a name to search by trigrams; undefined when trigrams would save no work. */
async function nameCandidates(db: Reader, displayName = ''): Promise<string | undefined> {
  if (Array.from(displayName).length < MIN_TRIGRAM_CHARS || displayName.includes('\0'))
    return undefined
  const part = displayName.toLowerCase()
  const found = await countWithText(db, BRAND_NAMES, part, MAX_CANDIDATES + 1)
  return found > MAX_CANDIDATES ? undefined : part
}

function filtered(db: Reader, cspId: string, filter: BrandFilter, namePart: string | undefined) {
  let query = db
    .selectFrom('registry_brands')
    .where('cspId', '=', cspId)
    .where('status', '=', filter.status)
  const exact = [
    ['referenceKey', referenceKey(filter.referenceId) ?? undefined],
    ['entityType', filter.entityType],
    ['identityStatus', filter.identityStatus],
    ['state', filter.state],
    ['country', filter.country],
    ['universalEin', filter.universalEin],
    ['isMock', flag(filter.mock)],
    ['isAuthPlus', flag(filter.authenticationPlusCompliant)],
  ] as const
  for (const [column, value] of exact) {
    if (value !== undefined) query = query.where(column, '=', value)
  }
  const { ein, resellerId, displayName } = filter
  if (ein !== undefined) query = query.where('ein', 'in', [...new Set([ein, plainEin(ein)])])
  if (namePart !== undefined)
    query = query.where('id', 'in', idsWithText(db, BRAND_NAMES, namePart))
  if (displayName !== undefined)
    query = query.where((each) => hasPart(db, each.ref('displayKey'), displayName.toLowerCase()))
  if (resellerId !== undefined)
    query = query.where('brandId', 'in', (select) =>
      select
        .selectFrom('registry_campaigns')
        .select('brandId')
        .where('cspId', '=', cspId)
        .where('resellerId', '=', resellerId),
    )
  for (const name of filter.tag) {
    query = query.where('brandId', 'in', (select) =>
      select
        .selectFrom('registry_tags')
        .select('recordId')
        .where('cspId', '=', cspId)
        .where('recordType', '=', 'BRAND')
        .where('name', '=', tagKey(name)),
    )
  }
  return query
}

function flag(value: boolean | undefined): number | undefined {
  return value === undefined ? undefined : value ? 1 : 0
}
