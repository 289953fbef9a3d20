/** Lists records of all CSPs that wait for an operator's decision, oldest first. */
import type { Reader } from '../../platform/database/database.js'
import { type OffsetPage, readPage } from '../../platform/database/offset-page.js'
import type { IdentityStatus } from '../rules/brand.js'
import { type Brand, parseBrand } from './brands.js'
import { type Campaign, parseCampaign } from './campaigns.js'
import type { Appeal, Vetting } from './vettings.js'

interface Found<Item> {
  readonly items: Item[]
  readonly total: number
}

export interface BrandQueueFilter {
  readonly cspId?: string | undefined
  readonly scoring?: Brand['scoring'] | undefined
  readonly identityStatus?: IdentityStatus | undefined
}

/** A page of all brands except deleted ones. */
export async function queuedBrands(
  db: Reader,
  { cspId, scoring, identityStatus }: BrandQueueFilter,
  page: OffsetPage,
): Promise<Found<Brand>> {
  let query = db.selectFrom('registry_brands').where('status', '=', 'ACTIVE')
  if (cspId !== undefined) query = query.where('cspId', '=', cspId)
  if (scoring !== undefined) query = query.where('scoring', '=', scoring)
  if (identityStatus !== undefined) query = query.where('identityStatus', '=', identityStatus)
  const { rows, total } = await readPage(query.select('record').orderBy('id'), page)
  return { items: rows.map(parseBrand), total }
}

export interface CampaignQueueFilter {
  readonly cspId?: string | undefined
  readonly brandId?: string | undefined
  /** True selects campaigns that at least one operator reviews. */
  readonly inReview?: boolean | undefined
  /** The CNP that has a pending share of the campaign. */
  readonly pendingAt?: string | undefined
}

/** A page of the active campaigns. */
export async function queuedCampaigns(
  db: Reader,
  { cspId, brandId, inReview, pendingAt }: CampaignQueueFilter,
  page: OffsetPage,
): Promise<Found<Campaign>> {
  let query = db.selectFrom('registry_campaigns').where('status', '=', 'ACTIVE')
  if (cspId !== undefined) query = query.where('cspId', '=', cspId)
  if (brandId !== undefined) query = query.where('brandId', '=', brandId)
  if (inReview !== undefined) query = query.where('isInReview', '=', Number(inReview))
  if (pendingAt !== undefined)
    query = query.where('campaignId', 'in', (select) =>
      select
        .selectFrom('registry_shares')
        .select('campaignId')
        .where('upstreamCnp', '=', pendingAt)
        .where('status', '=', 'PENDING')
        .where('isCurrent', '=', 1),
    )
  const { rows, total } = await readPage(query.select('record').orderBy('id'), page)
  return { items: rows.map(parseCampaign), total }
}

export interface CheckQueueFilter {
  readonly brandId?: string | undefined
  readonly status?: string | undefined
}

export function queuedVettings(
  db: Reader,
  filter: CheckQueueFilter,
  page: OffsetPage,
): Promise<Found<Vetting>> {
  return queuedChecks<Vetting>(db, 'registry_vettings', filter, page)
}

export function queuedAppeals(
  db: Reader,
  filter: CheckQueueFilter,
  page: OffsetPage,
): Promise<Found<Appeal>> {
  return queuedChecks<Appeal>(db, 'registry_appeals', filter, page)
}

async function queuedChecks<Check>(
  db: Reader,
  table: 'registry_vettings' | 'registry_appeals',
  { brandId, status }: CheckQueueFilter,
  page: OffsetPage,
): Promise<Found<Check>> {
  let query = db.selectFrom(table)
  if (brandId !== undefined) query = query.where('brandId', '=', brandId)
  if (status !== undefined) query = query.where('status', '=', status)
  // Makes the order stable across pages for checks of the same transaction or millisecond.
  const id = table === 'registry_vettings' ? 'vettingId' : 'appealId'
  const ordered = query.select('record').orderBy('createdAt').orderBy(id)
  const { rows, total } = await readPage(ordered, page)
  // `saveVetting` and `saveAppeal` are the only writers of these records.
  return { items: rows.map(({ record }) => JSON.parse(record) as Check), total }
}
