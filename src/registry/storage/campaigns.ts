import type { Reader, Writer } from '../../platform/database/database.js'
import { type OffsetPage, readPage } from '../../platform/database/offset-page.js'
import type { OperationStatus } from '../model/ports.js'
import type { CampaignDetails } from '../rules/campaign.js'
import type { MnoMetadata } from '../rules/qualify.js'
import { tagKey } from '../rules/tag.js'
import { referenceKey } from './brands.js'

export interface MnoOperation {
  readonly status: OperationStatus
  readonly explanation?: string | undefined
  readonly category?: string | undefined
}

export interface Campaign {
  readonly campaignId: string
  readonly cspId: string
  readonly brandId: string
  readonly status: 'ACTIVE' | 'EXPIRED'
  readonly details: CampaignDetails
  readonly isMock: boolean
  readonly createdAt: number
  readonly billedAt?: number | undefined
  readonly nextRenewalAt: number
  readonly expiredAt?: number | undefined
  readonly vertical?: string | undefined
  readonly monthlyFee: number
  /** The operators' metadata, computed at creation or the last resubmission, by network ID. */
  readonly mnoMetadata: Readonly<Record<string, MnoMetadata>>
  /** The operators to which the campaign was submitted and at which it qualified. */
  readonly qualifiedMnoIds: readonly number[]
  readonly operations: Readonly<Record<string, MnoOperation>>
  /** The operators from which the campaign was withdrawn, and to which it is not submitted again. */
  readonly withdrawnMnoIds?: readonly number[] | undefined
  /**
   * The aggregator that carries the campaign, by network ID; empty until the chain has reached one.
   */
  readonly dcaByMno: Readonly<Record<string, string>>
  /** True once the reseller was changed. */
  readonly isResellerFixed: boolean
  readonly upstreamCampaignId?: string | undefined
  /** The operators' decisions at the upstream registry when it was last asked, by network ID. */
  readonly upstreamOperations?: Readonly<Record<string, OperationStatus>> | undefined
}

export interface CampaignFilter {
  readonly brandId?: string | undefined
  readonly usecase?: string | undefined
  readonly status?: 'ACTIVE' | 'EXPIRED' | undefined
  readonly resellerId?: string | undefined
  readonly referenceId?: string | undefined
  readonly mock?: boolean | undefined
  readonly vertical?: string | undefined
  readonly autoRenewal?: boolean | undefined
  /** The CNP with which the owner has shared the campaign. */
  readonly upstreamCnpId?: string | undefined
  /** The tags that a campaign must have, all of them. */
  readonly tag?: readonly string[] | undefined
}

export async function insertCampaign(tx: Writer, campaign: Campaign): Promise<void> {
  await tx
    .insertInto('registry_campaigns')
    .values({
      campaign_id: campaign.campaignId,
      created_at: campaign.createdAt,
      last_event: null,
      ...columns(campaign),
    })
    .execute()
}

export async function saveCampaign(tx: Writer, campaign: Campaign): Promise<void> {
  await tx
    .updateTable('registry_campaigns')
    .set(columns(campaign))
    .where('campaign_id', '=', campaign.campaignId)
    .execute()
}

function columns(campaign: Campaign) {
  return {
    csp_id: campaign.cspId,
    brand_id: campaign.brandId,
    status: campaign.status,
    usecase: campaign.details.usecase,
    reseller_id: campaign.details.resellerId,
    reference_key:
      campaign.status === 'EXPIRED' ? null : referenceKey(campaign.details.referenceId),
    is_mock: campaign.isMock ? 1 : 0,
    vertical: campaign.vertical ?? null,
    auto_renewal: campaign.details.autoRenewal ? 1 : 0,
    is_in_review: Object.values(campaign.operations).some(({ status }) => status === 'REVIEW')
      ? 1
      : 0,
    record: JSON.stringify(campaign),
  }
}

export function parseCampaign(row: { readonly record: string }): Campaign {
  return JSON.parse(row.record) as Campaign // written by `columns` only
}

export async function findCampaign(db: Reader, campaignId: string): Promise<Campaign | undefined> {
  const row = await db
    .selectFrom('registry_campaigns')
    .select('record')
    .where('campaign_id', '=', campaignId)
    .executeTakeFirst()
  return row === undefined ? undefined : parseCampaign(row)
}

export async function findLastEvent(db: Reader, campaignId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('registry_campaigns')
    .select('last_event')
    .where('campaign_id', '=', campaignId)
    .executeTakeFirst()
  return row?.last_event ?? undefined
}

export async function saveLastEvent(tx: Writer, campaignId: string, type: string): Promise<void> {
  await tx
    .updateTable('registry_campaigns')
    .set({ last_event: type })
    .where('campaign_id', '=', campaignId)
    .execute()
}

export async function isCampaignReferenceTaken(
  db: Reader,
  cspId: string,
  referenceId: string | undefined,
): Promise<boolean> {
  const key = referenceKey(referenceId)
  if (key === null) return false
  const row = await db
    .selectFrom('registry_campaigns')
    .select('campaign_id')
    .where('csp_id', '=', cspId)
    .where('reference_key', '=', key)
    .executeTakeFirst()
  return row !== undefined
}

export async function activeCampaignsOf(db: Reader, brandId: string): Promise<Campaign[]> {
  const rows = await db
    .selectFrom('registry_campaigns')
    .select('record')
    .where('brand_id', '=', brandId)
    .where('status', '=', 'ACTIVE')
    .orderBy('id')
    .execute()
  return rows.map(parseCampaign)
}

export async function hasCampaignOfReseller(
  db: Reader,
  cspId: string,
  resellerId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('registry_campaigns')
    .select('id')
    .where('csp_id', '=', cspId)
    .where('reseller_id', '=', resellerId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function listCampaigns(
  db: Reader,
  cspId: string,
  filter: CampaignFilter,
  page: OffsetPage,
): Promise<{ items: Campaign[]; total: number }> {
  let query = db.selectFrom('registry_campaigns').where('csp_id', '=', cspId)
  const exact = [
    ['brand_id', filter.brandId],
    ['usecase', filter.usecase],
    ['status', filter.status],
    ['reseller_id', filter.resellerId],
    ['reference_key', referenceKey(filter.referenceId) ?? undefined],
    ['is_mock', filter.mock === undefined ? undefined : Number(filter.mock)],
    ['vertical', filter.vertical],
    ['auto_renewal', filter.autoRenewal === undefined ? undefined : Number(filter.autoRenewal)],
  ] as const
  for (const [column, value] of exact) {
    if (value !== undefined) query = query.where(column, '=', value)
  }
  const { upstreamCnpId } = filter
  if (upstreamCnpId !== undefined)
    query = query.where('campaign_id', 'in', (select) =>
      select
        .selectFrom('registry_shares')
        .select('campaign_id')
        .where('downstream_cnp', '=', cspId)
        .where('upstream_cnp', '=', upstreamCnpId)
        .where('is_current', '=', 1),
    )
  for (const name of filter.tag ?? []) {
    query = query.where('campaign_id', 'in', (select) =>
      select
        .selectFrom('registry_tags')
        .select('record_id')
        .where('csp_id', '=', cspId)
        .where('record_type', '=', 'CAMPAIGN')
        .where('name', '=', tagKey(name)),
    )
  }
  const { rows, total } = await readPage(query.select('record').orderBy('id'), page)
  return { items: rows.map(parseCampaign), total }
}
