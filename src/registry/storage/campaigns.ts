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
  /** Operators from which the campaign was withdrawn; it is not resubmitted to them. */
  readonly withdrawnMnoIds?: readonly number[] | undefined
  /** The aggregator that carries the campaign, by network ID; empty until the chain is complete. */
  readonly dcaByMno: Readonly<Record<string, string>>
  /** True once the reseller was changed. */
  readonly isResellerFixed: boolean
  readonly upstreamCampaignId?: string | undefined
  /** The operators' last known decisions at the upstream registry, by network ID. */
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
  /** Tags to filter by; a campaign must have all of them. */
  readonly tag?: readonly string[] | undefined
}

export async function insertCampaign(tx: Writer, campaign: Campaign): Promise<void> {
  await tx
    .insertInto('registry_campaigns')
    .values({
      campaignId: campaign.campaignId,
      createdAt: campaign.createdAt,
      lastEvent: null,
      ...columns(campaign),
    })
    .execute()
}

export async function saveCampaign(tx: Writer, campaign: Campaign): Promise<void> {
  await tx
    .updateTable('registry_campaigns')
    .set(columns(campaign))
    .where('campaignId', '=', campaign.campaignId)
    .execute()
}

function columns(campaign: Campaign) {
  return {
    cspId: campaign.cspId,
    brandId: campaign.brandId,
    status: campaign.status,
    usecase: campaign.details.usecase,
    resellerId: campaign.details.resellerId,
    referenceKey: campaign.status === 'EXPIRED' ? null : referenceKey(campaign.details.referenceId),
    isMock: campaign.isMock ? 1 : 0,
    vertical: campaign.vertical ?? null,
    autoRenewal: campaign.details.autoRenewal ? 1 : 0,
    isInReview: Object.values(campaign.operations).some(({ status }) => status === 'REVIEW')
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
    .where('campaignId', '=', campaignId)
    .executeTakeFirst()
  return row === undefined ? undefined : parseCampaign(row)
}

export async function findLastEvent(db: Reader, campaignId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('registry_campaigns')
    .select('lastEvent')
    .where('campaignId', '=', campaignId)
    .executeTakeFirst()
  return row?.lastEvent ?? undefined
}

export async function saveLastEvent(tx: Writer, campaignId: string, type: string): Promise<void> {
  await tx
    .updateTable('registry_campaigns')
    .set({ lastEvent: type })
    .where('campaignId', '=', campaignId)
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
    .select('campaignId')
    .where('cspId', '=', cspId)
    .where('referenceKey', '=', key)
    .executeTakeFirst()
  return row !== undefined
}

export async function activeCampaignsOf(db: Reader, brandId: string): Promise<Campaign[]> {
  const rows = await db
    .selectFrom('registry_campaigns')
    .select('record')
    .where('brandId', '=', brandId)
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
    .where('cspId', '=', cspId)
    .where('resellerId', '=', resellerId)
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
  let query = db.selectFrom('registry_campaigns').where('cspId', '=', cspId)
  const exact = [
    ['brandId', filter.brandId],
    ['usecase', filter.usecase],
    ['status', filter.status],
    ['resellerId', filter.resellerId],
    ['referenceKey', referenceKey(filter.referenceId) ?? undefined],
    ['isMock', filter.mock === undefined ? undefined : Number(filter.mock)],
    ['vertical', filter.vertical],
    ['autoRenewal', filter.autoRenewal === undefined ? undefined : Number(filter.autoRenewal)],
  ] as const
  for (const [column, value] of exact) {
    if (value !== undefined) query = query.where(column, '=', value)
  }
  const { upstreamCnpId } = filter
  if (upstreamCnpId !== undefined)
    query = query.where('campaignId', 'in', (select) =>
      select
        .selectFrom('registry_shares')
        .select('campaignId')
        .where('downstreamCnp', '=', cspId)
        .where('upstreamCnp', '=', upstreamCnpId)
        .where('isCurrent', '=', 1),
    )
  for (const name of filter.tag ?? []) {
    query = query.where('campaignId', 'in', (select) =>
      select
        .selectFrom('registry_tags')
        .select('recordId')
        .where('cspId', '=', cspId)
        .where('recordType', '=', 'CAMPAIGN')
        .where('name', '=', tagKey(name)),
    )
  }
  const { rows, total } = await readPage(query.select('record').orderBy('id'), page)
  return { items: rows.map(parseCampaign), total }
}
