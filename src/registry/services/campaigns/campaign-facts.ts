import type { Reader } from '../../../platform/database/database.js'
import type { Tables } from '../../data/tables.js'
import type { Core } from '../../model/core.js'
import { refuse } from '../../model/registry-error.js'
import type { BrandStanding } from '../../rules/qualify.js'
import type { Brand } from '../../storage/brands.js'
import { type Campaign, findCampaign } from '../../storage/campaigns.js'
import type { Csp } from '../../storage/csps.js'
import { freeTrialBrand, liveBrand } from '../brands/brand-facts.js'

/** The CSP's own campaign; RegistryError 502 when it is missing or belongs to another CSP. */
export async function ownCampaign(
  db: Reader,
  cspId: string,
  campaignId: string,
): Promise<Campaign> {
  const campaign = await findCampaign(db, campaignId)
  if (campaign?.cspId !== cspId)
    throw refuse(502, ['campaignId'], `there is no campaign ${campaignId}`)
  return campaign
}

export async function liveCampaign(
  db: Reader,
  cspId: string,
  campaignId: string,
): Promise<Campaign> {
  const campaign = await ownCampaign(db, cspId, campaignId)
  refuseExpired(campaign)
  return campaign
}

/** Throws RegistryError 518 for an expired campaign, about which nothing can be decided. */
export function refuseExpired({ status }: Campaign): void {
  if (status === 'EXPIRED') throw refuse(518, ['campaignId'], 'the campaign has expired')
}

/** Facts about a brand that operators' decisions use. */
export function standing({
  details,
  identityStatus,
  vettingScore,
  hasPoliticalVet,
}: Brand): BrandStanding {
  return { details, identityStatus, vettingScore, hasPoliticalVet }
}

/**
 * Returns a scored brand of the CSP, or the free-trial brand that it may use. RegistryError 502
 * when there is none, 527 while scoring is pending.
 */
export async function scoredBrand(db: Reader, csp: Csp, brandId: string): Promise<Brand> {
  const brand =
    brandId === csp.freeTrialBrandId && csp.platformFreeTrialEnabled
      ? await freeTrialBrand(db, csp)
      : await liveBrand(db, csp.cspId, brandId)
  if (brand.scoring === 'pending') throw refuse(527, ['brandId'], 'scoring has not finished')
  return brand
}

/**
 * Returns a brand that may have campaigns: as `scoredBrand`, and 509 until its identity is
 * verified.
 */
export async function brandForCampaign(tx: Reader, csp: Csp, brandId: string): Promise<Brand> {
  const brand = await scoredBrand(tx, csp, brandId)
  const { entityType } = brand.details
  if (entityType === 'SOLE_PROPRIETOR' && brand.mobilePhoneVerifiedAt === undefined)
    throw refuse(509, ['brandId'], 'the sole proprietor has not passed the one-time password')
  if (entityType === 'PUBLIC_PROFIT' && brand.businessContactEmailVerifiedAt === undefined)
    throw refuse(509, ['brandId'], 'the business contact has not passed Authentication+')
  return brand
}

/** Every operator of the tables, and former ones that the campaign was created for. */
export function operatorsOf({ mnoMetadata }: Campaign, { operators }: Tables): readonly number[] {
  const known = operators.operators.map(({ networkId }) => networkId)
  return [...new Set([...known, ...Object.keys(mnoMetadata).map(Number)])]
}

export function checkMnoIds(core: Core, mnoIds: readonly number[] | undefined): void {
  const known = core.tables.operators.operators.map(({ networkId }) => networkId)
  const unknown = (mnoIds ?? []).filter((id) => !known.includes(id))
  if (unknown.length > 0)
    throw refuse(501, ['mnoIds'], `there is no operator ${unknown.join(', ')}`)
}
