import type { Reader, Writer } from '../../../platform/database/database.js'
import { emit } from '../../events/emit.js'
import { schedule } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import { freeRegistryId } from '../../model/ids.js'
import type { OperationStatus } from '../../model/ports.js'
import { type Problem, problem, refuse, throwIfAny } from '../../model/registry-error.js'
import { addMonths } from '../../rules/calendar.js'
import {
  type CampaignDetails,
  checkCampaign,
  checkResellerChange,
  checkUsecaseGates,
  NO_RESELLER,
  UPDATABLE_FIELDS,
} from '../../rules/campaign.js'
import { demand } from '../../rules/outages.js'
import { type MnoMetadata, mnoMetadataOf, qualifyCampaign } from '../../rules/qualify.js'
import { MAX_CAMPAIGN_TAG, tagKey, tagName } from '../../rules/tag.js'
import { type Brand, findBrand } from '../../storage/brands.js'
import {
  type Campaign,
  type CampaignFilter,
  findCampaign,
  insertCampaign,
  isCampaignReferenceTaken,
  listCampaigns,
  saveCampaign,
} from '../../storage/campaigns.js'
import { charge } from '../../storage/charges.js'
import type { Csp } from '../../storage/csps.js'
import { currentNumbersOf } from '../../storage/numbers.js'
import { findReseller } from '../../storage/resellers.js'
import { insertTag, tagsOf } from '../../storage/tags.js'
import { countActiveCampaigns } from '../brands/brand-facts.js'
import { carryUp } from '../upstream/carry-up.js'
import {
  brandForCampaign,
  checkMnoIds,
  liveCampaign,
  ownCampaign,
  scoredBrand,
  standing,
} from './campaign-facts.js'
import { expireCampaign } from './campaign-life.js'
import { emitOperation, operationAtStart, withdrawOperation } from './mno-operations.js'

export interface NewCampaign {
  readonly brandId: string
  readonly details: CampaignDetails
  readonly tags: readonly string[]
}

export interface TaggedCampaign {
  readonly campaign: Campaign
  readonly tags: readonly string[]
}

export interface Campaigns {
  create(csp: Csp, wanted: NewCampaign): Promise<Campaign>
  find(cspId: string, campaignId: string): Promise<TaggedCampaign>
  list(
    cspId: string,
    filter: CampaignFilter,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ items: TaggedCampaign[]; total: number }>
  /** Updates a campaign. Read-only fields keep their value; an undefined field is cleared. */
  update(
    csp: Csp,
    campaignId: string,
    change: Readonly<Record<string, unknown>>,
  ): Promise<TaggedCampaign>
  deactivate(cspId: string, campaignId: string): Promise<void>
  /** The CSP's own campaign; RegistryError 518 when it has expired. */
  live(cspId: string, campaignId: string): Promise<Campaign>
  /** Withdraws the campaign from one operator; a resubmission submits it there again. */
  withdraw(cspId: string, campaignId: string, mnoId: number, explanation: string): Promise<void>
  resubmit(csp: Csp, campaignId: string, mnoIds: readonly number[] | undefined): Promise<Campaign>
  /** The metadata that each operator would assign to a campaign of this use case. */
  qualifyBrand(csp: Csp, brandId: string, usecase: string): Promise<Record<string, MnoMetadata>>
}

interface Resubmission {
  readonly campaignId: string
  readonly mnoIds: readonly number[] | undefined
}

export function createCampaigns(core: Core): Campaigns {
  const { db } = core
  return {
    create: (csp, wanted) => core.commit((tx) => create(core, tx, csp, wanted)),
    find: async (cspId, campaignId) =>
      withTags(db.read, await ownCampaign(db.read, cspId, campaignId)),
    list: async (cspId, filter, page) => {
      const { items, total } = await listCampaigns(db.read, cspId, filter, page)
      const ids = items.map((campaign) => campaign.campaignId)
      const tags = await tagsOf(db.read, 'CAMPAIGN', ids)
      const tagged = items.map((campaign) => ({
        campaign,
        tags: tags.get(campaign.campaignId) ?? [],
      }))
      return { items: tagged, total }
    },
    update: (csp, campaignId, change) =>
      core.commit(async (tx) => withTags(tx, await update(core, tx, csp, { campaignId, change }))),
    deactivate: (cspId, campaignId) =>
      core.commit(async (tx) => {
        const campaign = await ownCampaign(tx, cspId, campaignId)
        if (campaign.status === 'ACTIVE') demand(core, 'NUMBER_REGISTRY')
        await expireCampaign(core, tx, campaign)
      }),
    live: (cspId, campaignId) => liveCampaign(db.read, cspId, campaignId),
    withdraw: (cspId, campaignId, mnoId, explanation) =>
      core.commit(async (tx) => {
        const campaign = await liveCampaign(tx, cspId, campaignId)
        await withdrawOperation(core, tx, campaign, mnoId, explanation)
      }),
    resubmit: (csp, campaignId, mnoIds) =>
      core.commit((tx) => resubmit(core, tx, csp, { campaignId, mnoIds })),
    qualifyBrand: async (csp, brandId, usecase) => {
      const brand = await scoredBrand(db.read, csp, brandId)
      if (core.tables.usecases[usecase] === undefined)
        throw refuse(501, ['usecase'], `there is no use case ${usecase}`)
      return mnoMetadataOf(standing(brand), usecase, core.tables)
    },
  }
}

/** Resubmits a campaign to the operators that excluded or rejected it. */
async function resubmit(
  core: Core,
  tx: Writer,
  csp: Csp,
  { campaignId, mnoIds }: Resubmission,
): Promise<Campaign> {
  const campaign = await liveCampaign(tx, csp.cspId, campaignId)
  checkMnoIds(core, mnoIds)
  demand(core, 'NUMBER_REGISTRY')
  const brand = await brandForCampaign(tx, csp, campaign.brandId)
  const { usecase } = campaign.details
  const fresh = mnoMetadataOf(standing(brand), usecase, core.tables, mnoIds)
  const qualification = qualifyCampaign(campaign.details, fresh)
  if (qualification.type === 'rejected') throwIfAny(qualification.problems)
  const qualified = qualification.type === 'qualified' ? qualification.mnoIds : []
  const anew = qualified.filter((id) => isSubmittable(campaign.operations[id]?.status))
  const dca = Object.values(campaign.dcaByMno)[0]
  const next: Campaign = {
    ...campaign,
    mnoMetadata: { ...campaign.mnoMetadata, ...fresh },
    qualifiedMnoIds: [...new Set([...campaign.qualifiedMnoIds, ...qualified])].sort(
      (a, b) => a - b,
    ),
    operations: {
      ...campaign.operations,
      ...Object.fromEntries(
        anew.map((id) => [String(id), operationAnew(core, campaign, fresh[id], id)]),
      ),
    },
    withdrawnMnoIds: campaign.withdrawnMnoIds?.filter((id) => !anew.includes(id)),
    // A chain that has reached an aggregator covers the new operators too.
    dcaByMno:
      dca === undefined
        ? {}
        : { ...campaign.dcaByMno, ...Object.fromEntries(anew.map((id) => [String(id), dca])) },
  }
  await saveCampaign(tx, next)
  await emit(core, tx, { type: 'CAMPAIGN_RESUBMISSION', cspId: csp.cspId, brand, campaign: next })
  for (const id of anew) await emitOperation(core, tx, next, id)
  if (anew.length > 0) await carryUp(core, tx, 'resubmit-upstream', next, anew)
  return next
}

/**
 * True when the campaign was not submitted to the operator, or was rejected there. A suspended
 * campaign is not resubmitted: only the operator ends the suspension.
 */
function isSubmittable(status: OperationStatus | undefined): boolean {
  return status === undefined || status === 'REJECTED'
}

/** The operation's status after a resubmission. A manual rejection leads to another manual review. */
function operationAnew(core: Core, before: Campaign, mno: MnoMetadata | undefined, mnoId: number) {
  if (before.operations[mnoId]?.status === 'REJECTED') return { status: 'REVIEW' as const }
  return operationAtStart(mno, core.tables)
}

async function withTags(from: Reader, campaign: Campaign): Promise<TaggedCampaign> {
  const tags = await tagsOf(from, 'CAMPAIGN', [campaign.campaignId])
  return { campaign, tags: tags.get(campaign.campaignId) ?? [] }
}

async function create(
  core: Core,
  tx: Writer,
  csp: Csp,
  { brandId, details, tags }: NewCampaign,
): Promise<Campaign> {
  const { tables } = core
  const brand = await brandForCampaign(tx, csp, brandId)
  demand(core, 'NUMBER_REGISTRY')
  throwIfAny(checkCampaign(details, tables))
  throwIfAny(
    checkUsecaseGates(details.usecase, {
      entityType: brand.details.entityType,
      soleProprietorEnabled: csp.soleProprietorEnabled,
      ucaasEnabled: csp.ucaasEnabled,
      publicSafetyEnabled: csp.publicSafetyEnabled,
      isFreeTrialBrand: csp.platformFreeTrialEnabled && brandId === csp.freeTrialBrandId,
      isGuest: brand.cspId !== csp.cspId,
    }),
  )
  await checkReferences(core, tx, csp, brand, details)
  if (tags.some((tag) => tagName(tag, MAX_CAMPAIGN_TAG) === undefined))
    throw refuse(501, ['tag'], 'a tag has 1 to 255 characters, no punctuation and no spaces')
  const mnoMetadata = mnoMetadataOf(standing(brand), details.usecase, tables, details.mnoIds)
  const qualification = qualifyCampaign(details, mnoMetadata)
  if (qualification.type === 'rejected') throwIfAny(qualification.problems)
  const mnoIds = qualification.type === 'qualified' ? qualification.mnoIds : []
  const now = core.clock.now()
  const isTaken = async (id: string) => (await findCampaign(tx, id)) !== undefined
  const campaign: Campaign = {
    campaignId: await freeRegistryId('C', isTaken),
    cspId: csp.cspId,
    brandId,
    status: 'ACTIVE',
    details,
    isMock: brand.isMock,
    createdAt: now,
    billedAt: now,
    nextRenewalAt: addMonths(now, tables.limits.renewalMonths),
    vertical: brand.details.vertical,
    monthlyFee: tables.usecases[details.usecase]?.monthlyFee ?? 0,
    mnoMetadata,
    qualifiedMnoIds: mnoIds,
    operations: Object.fromEntries(
      mnoIds.map((id) => [String(id), operationAtStart(mnoMetadata[id], tables)]),
    ),
    dcaByMno: {},
    isResellerFixed: details.resellerId === NO_RESELLER,
  }
  await insertCampaign(tx, campaign)
  for (const name of new Set(tags.map(tagKey)))
    await insertTag(tx, csp.cspId, { name, recordType: 'CAMPAIGN', recordId: campaign.campaignId })
  await afterCreation(core, tx, campaign, brand)
  return campaign
}

async function afterCreation(core: Core, tx: Writer, campaign: Campaign, brand: Brand) {
  const { cspId, campaignId, isMock } = campaign
  const amount = campaign.monthlyFee * core.tables.limits.renewalMonths
  const fee = { kind: 'campaign', subject: campaignId, occasion: campaignId, amount } as const
  await charge(core, tx, { cspId, ...fee, isMock })
  await emit(core, tx, { type: 'CAMPAIGN_ADD', cspId, brand, campaign })
  for (const id of campaign.qualifiedMnoIds) await emitOperation(core, tx, campaign, id)
  await schedule(tx, 'renew-campaign', campaignId, campaign.nextRenewalAt)
}

async function checkReferences(
  core: Core,
  tx: Reader,
  csp: Csp,
  brand: Brand,
  details: CampaignDetails,
): Promise<void> {
  await checkReseller(tx, csp, details.resellerId)
  checkMnoIds(core, details.mnoIds)
  if (await isCampaignReferenceTaken(tx, csp.cspId, details.referenceId))
    throw refuse(503, ['referenceId'], 'another campaign has this referenceId')
  const { limits } = core.tables
  const isPerson = brand.details.entityType === 'SOLE_PROPRIETOR'
  const max = isPerson ? limits.maxSoleProprietorCampaigns : limits.maxCampaignsPerBrand
  if ((await countActiveCampaigns(tx, brand.brandId)) >= max)
    throw refuse(511, ['brandId'], `the brand has ${max} campaigns, which is the most`)
}

async function checkReseller(tx: Reader, csp: Csp, resellerId: string): Promise<void> {
  if (resellerId === NO_RESELLER) return
  const reseller = await findReseller(tx, resellerId)
  if (reseller?.cspId !== csp.cspId)
    throw refuse(501, ['resellerId'], `there is no reseller ${resellerId}`)
}

/** Refuses to remove the pool of a campaign that has more numbers than allowed without one. */
async function refuseManyNumbers(core: Core, tx: Reader, campaignId: string): Promise<void> {
  const max = core.tables.limits.maxNumbersWithoutPool
  if ((await currentNumbersOf(tx, campaignId)).length > max)
    throw refuse(592, ['numberPool'], `the campaign has more than ${max} numbers`)
}

interface CampaignChange {
  readonly campaignId: string
  readonly change: Readonly<Record<string, unknown>>
}

/** Names in the answer, by the request's name, where the two differ. */
const ANSWERED: Readonly<Record<string, string>> = {
  subscriberOptIn: 'subscriberOptin',
  subscriberOptOut: 'subscriberOptout',
}

/** Reports changes of read-only fields, which would otherwise be ignored. */
function fixedChanges(
  { campaign, tags }: TaggedCampaign,
  change: CampaignChange['change'],
): Problem[] {
  const mnoIds = campaign.details.mnoIds ?? Object.keys(campaign.mnoMetadata).map(Number)
  const present: Readonly<Record<string, unknown>> = {
    ...campaign.details,
    mnoIds,
    brandId: campaign.brandId,
    tag: tags,
  }
  return Object.entries(change)
    .filter(([name, value]) => {
      const isFixed = !UPDATABLE_FIELDS.some((field) => field === name)
      return isFixed && value !== undefined && !isSame(present[ANSWERED[name] ?? name], value)
    })
    .map(([name]) => problem(501, [name], `${name} cannot be changed`))
}

/** True for equal values, and for lists with the same elements in any order. */
function isSame(present: unknown, given: unknown): boolean {
  if (!Array.isArray(present) || !Array.isArray(given)) return present === given
  const elements: readonly unknown[] = present
  return elements.length === given.length && given.every((each) => elements.includes(each))
}

async function update(
  core: Core,
  tx: Writer,
  csp: Csp,
  { campaignId, change }: CampaignChange,
): Promise<Campaign> {
  const campaign = await liveCampaign(tx, csp.cspId, campaignId)
  demand(core, 'NUMBER_REGISTRY')
  throwIfAny(fixedChanges(await withTags(tx, campaign), change))
  const allowed = Object.entries(change).filter(([name]) =>
    UPDATABLE_FIELDS.some((field) => field === name),
  )
  // The campaign's own schema has parsed the change and has these fields.
  const details = { ...campaign.details, ...Object.fromEntries(allowed) }
  throwIfAny(checkCampaign(details, core.tables))
  throwIfAny(checkResellerChange(campaign.details.resellerId, details.resellerId))
  if (campaign.details.numberPool && !details.numberPool)
    await refuseManyNumbers(core, tx, campaignId)
  const qualification = qualifyCampaign(details, campaign.mnoMetadata)
  if (qualification.type === 'rejected') throwIfAny(qualification.problems)
  const next: Campaign = { ...campaign, details }
  await saveCampaign(tx, next)
  const brand = await findBrand(tx, campaign.brandId)
  await emit(core, tx, { type: 'CAMPAIGN_UPDATE', cspId: csp.cspId, brand, campaign: next })
  await carryUp(core, tx, 'update-upstream', next)
  return next
}
