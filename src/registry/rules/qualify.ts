/**
 * Computes each operator's metadata for a brand and use case, and whether a campaign qualifies.
 * Pure.
 */
import type { Operator } from '../data/table-schemas.js'
import type { Tables } from '../data/tables.js'
import { type Problem, problem } from '../model/registry-error.js'
import { type BrandDetails, type IdentityStatus, isTrueAttribute } from './brand.js'
import { isVerified } from './brand-identity.js'
import { type CampaignDetails, SAMPLES } from './campaign.js'
import { taxExemptStatus } from './score-brand.js'

export interface MnoMetadata {
  readonly mno: string
  readonly mnoSupport: boolean
  readonly mnoReview: boolean
  readonly qualify: boolean
  readonly minMsgSamples: number
  readonly reqSubscriberOptin: boolean
  readonly reqSubscriberOptout: boolean
  readonly reqSubscriberHelp: boolean
  readonly noEmbeddedLink: boolean
  readonly noEmbeddedPhone: boolean
  readonly msgClass: string | null
  readonly tpm: number | null
  readonly mmsTpm: number | null
  readonly tpmScope: 'CAMPAIGN' | 'PHONE_NUMBER' | null
  readonly brandTier: string | null
  readonly brandDailyCap: number | null
}

/** The facts about a brand that operators receive. */
export interface BrandStanding {
  readonly details: BrandDetails
  readonly identityStatus: IdentityStatus
  readonly vettingScore: number | undefined
  readonly hasPoliticalVet: boolean
}

/** The metadata of each operator, by network ID. */
export function mnoMetadataOf(
  brand: BrandStanding,
  usecase: string,
  tables: Tables,
  onlyMnoIds?: readonly number[],
): Record<string, MnoMetadata> {
  const operators = tables.operators.operators.filter(
    ({ networkId }) => onlyMnoIds === undefined || onlyMnoIds.includes(networkId),
  )
  return Object.fromEntries(
    operators.map((operator) => [
      String(operator.networkId),
      metadataAt(operator, brand, usecase, tables),
    ]),
  )
}

function metadataAt(
  operator: Operator,
  brand: BrandStanding,
  usecase: string,
  tables: Tables,
): MnoMetadata {
  const isSpecial = tables.usecases[usecase]?.classification !== 'STANDARD'
  return {
    mno: operator.displayName,
    mnoSupport: !operator.unsupportedUsecases.includes(usecase),
    mnoReview:
      operator.reviewUsecases === 'ALL' || (operator.reviewUsecases === 'SPECIAL' && isSpecial),
    qualify: doesQualify(brand, usecase),
    minMsgSamples: operator.minMsgSamplesByUsecase[usecase] ?? operator.minMsgSamples,
    reqSubscriberOptin: operator.reqSubscriberOptin,
    reqSubscriberOptout: operator.reqSubscriberOptout,
    reqSubscriberHelp: operator.reqSubscriberHelp,
    noEmbeddedLink: operator.noEmbeddedLinkUsecases.includes(usecase),
    noEmbeddedPhone: operator.noEmbeddedPhoneUsecases.includes(usecase),
    ...classFields(operator, brand, usecase, tables),
    ...tierFields(operator, brand, tables),
  }
}

/**
 * True when the brand may use the use case: an unverified brand never may, and some use cases have
 * further requirements.
 */
export function doesQualify(brand: BrandStanding, usecase: string): boolean {
  if (!isVerified(brand)) return false
  const exempt = taxExemptStatus(brand.details)
  if (usecase === 'CHARITY') return exempt === '501c3'
  if (usecase === 'POLITICAL') {
    const isExempt = exempt !== undefined && exempt !== '501c3'
    return isExempt || isTrueAttribute(brand.details, 'section527') || brand.hasPoliticalVet
  }
  return true
}

/**
 * The score by which operators rank the brand. Government and the largest companies rank highest
 * even without a vetting.
 */
function scoreOf(brand: BrandStanding): number {
  const isTop =
    brand.details.entityType === 'GOVERNMENT' || isTrueAttribute(brand.details, 'russell3000')
  return isTop ? 100 : (brand.vettingScore ?? 0)
}

export function messageClass(brand: BrandStanding, usecase: string, tables: Tables): string {
  const { classByUsecase, classByScore, mixedUsecases } = tables.throughput
  const own = classByUsecase[usecase]
  if (own !== undefined) return own
  const row = classByScore.find(({ minScore }) => scoreOf(brand) >= minScore)
  return (mixedUsecases.includes(usecase) ? row?.mixed : row?.dedicated) ?? ''
}

type ClassFields = Pick<MnoMetadata, 'msgClass' | 'tpm' | 'mmsTpm' | 'tpmScope'>

function classFields(
  operator: Operator,
  brand: BrandStanding,
  usecase: string,
  tables: Tables,
): ClassFields {
  const none = { msgClass: null, tpm: null, mmsTpm: null, tpmScope: null }
  if (operator.scheme !== 'class') return none
  const msgClass = messageClass(brand, usecase, tables)
  const rate = tables.throughput.classes[msgClass]
  return rate === undefined ? none : { msgClass, ...rate }
}

type TierFields = Pick<MnoMetadata, 'brandTier' | 'brandDailyCap'>

function tierFields(operator: Operator, brand: BrandStanding, tables: Tables): TierFields {
  if (operator.scheme !== 'tier') return { brandTier: null, brandDailyCap: null }
  if (brand.details.entityType === 'GOVERNMENT')
    return { brandTier: 'UNCAPPED', brandDailyCap: null }
  const { tierByScore, dailyCaps } = tables.throughput
  const tier = tierByScore.find(({ minScore }) => scoreOf(brand) >= minScore)?.tier ?? 'LOW'
  const isPerson = brand.details.entityType === 'SOLE_PROPRIETOR'
  return {
    brandTier: tier,
    brandDailyCap: dailyCaps[isPerson ? 'SOLE_PROPRIETOR' : tier] ?? null,
  }
}

/** The requirements of one operator that the campaign does not meet. */
export function shortcomings(campaign: CampaignDetails, mno: MnoMetadata): Problem[] {
  const samples = SAMPLES.filter((field) => (campaign[field] ?? '') !== '').length
  const checks: readonly [boolean, readonly string[], string][] = [
    [!mno.mnoSupport, ['usecase'], 'the use case is not supported'],
    [!mno.qualify, ['brandId', 'usecase'], 'the brand does not qualify; a vetting may help'],
    [samples < mno.minMsgSamples, ['sample1'], `at least ${mno.minMsgSamples} samples are needed`],
    [mno.reqSubscriberOptin && !campaign.subscriberOptin, ['subscriberOptin'], 'opt-in is needed'],
    [
      mno.reqSubscriberOptout && !campaign.subscriberOptout,
      ['subscriberOptout'],
      'opt-out is needed',
    ],
    [mno.reqSubscriberHelp && !campaign.subscriberHelp, ['subscriberHelp'], 'help is needed'],
    [mno.noEmbeddedLink && campaign.embeddedLink, ['embeddedLink'], 'links are forbidden'],
    [mno.noEmbeddedPhone && campaign.embeddedPhone, ['embeddedPhone'], 'phones are forbidden'],
  ]
  return checks
    .filter(([isShort]) => isShort)
    .map(([, fields, why]) => problem(509, fields, `${mno.mno}: ${why}`))
}

export type Qualification =
  | { readonly type: 'qualified'; readonly mnoIds: readonly number[] }
  | { readonly type: 'rejected'; readonly problems: readonly Problem[] }

/** Checks a campaign against every operator; it passes when at least one accepts it. */
export function qualifyCampaign(
  campaign: CampaignDetails,
  metadata: Readonly<Record<string, MnoMetadata>>,
): Qualification {
  const judged = Object.entries(metadata).map(
    ([id, mno]) => [Number(id), shortcomings(campaign, mno)] as const,
  )
  const mnoIds = judged.filter(([, problems]) => problems.length === 0).map(([id]) => id)
  if (mnoIds.length > 0) return { type: 'qualified', mnoIds }
  const problems =
    judged.length === 0
      ? [problem(509, ['mnoIds'], 'no operator is asked')]
      : judged.flatMap(([, each]) => each)
  return { type: 'rejected', problems }
}
