import type { Reader, Writer } from '../../../platform/database/database.js'
import { emit, emitReport } from '../../events/emit.js'
import { cancelJobs, schedule } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import { freeRegistryId } from '../../model/ids.js'
import { type Problem, problem, refuse, throwIfAny } from '../../model/registry-error.js'
import { type BrandDetails, normalised } from '../../rules/brand.js'
import { newIdentity, stepIdentity } from '../../rules/brand-identity.js'
import { DAY_MS } from '../../rules/calendar.js'
import { checkBrand } from '../../rules/check-brand.js'
import { demand } from '../../rules/outages.js'
import { tagKey, tagName } from '../../rules/tag.js'
import { judgeUpdate, scoredInformation } from '../../rules/update-brand.js'
import {
  type Brand,
  countBrands,
  countSoleProprietorsWith,
  type FeedbackCategory,
  findBrand,
  insertBrand,
  isReferenceTaken,
  saveBrand,
} from '../../storage/brands.js'
import { charge } from '../../storage/charges.js'
import { type Csp, findCsp } from '../../storage/csps.js'
import { type BrandFilter, listBrands } from '../../storage/list-brands.js'
import { insertTag, tagsOf } from '../../storage/tags.js'
import {
  type Appeal,
  countLiveVettings,
  listAppeals,
  listVettings,
  saveAppeal,
  saveVetting,
} from '../../storage/vettings.js'
import { carryBrandUp } from '../upstream/carry-up.js'
import { revokeAuthPlus } from './auth-plus.js'
import { countActiveCampaigns, freeTrialBrand, liveBrand, ownBrand } from './brand-facts.js'
import { emitIdentity } from './score-brand.js'

export interface NewBrand {
  readonly details: BrandDetails
  readonly isMock: boolean
  readonly tags: readonly string[]
}

/** A brand with its tags. */
export interface TaggedBrand {
  readonly brand: Brand
  readonly tags: readonly string[]
}

export interface BrandUpdate {
  /** Changed fields: an undefined field is cleared; an absent one stays. */
  readonly change: Readonly<Partial<Record<keyof BrandDetails, unknown>>>
  /** Read-only fields: a value other than the brand's is refused. */
  readonly tags: readonly string[] | undefined
  readonly isMock: boolean | undefined
}

export interface Brands {
  register(csp: Csp, wanted: NewBrand): Promise<TaggedBrand>
  find(cspId: string, brandId: string): Promise<TaggedBrand>
  list(
    cspId: string,
    filter: BrandFilter,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ items: TaggedBrand[]; total: number }>
  update(csp: Csp, brandId: string, wanted: BrandUpdate): Promise<TaggedBrand>
  remove(cspId: string, brandId: string): Promise<void>
  revet(csp: Csp, brandId: string): Promise<TaggedBrand>
  feedback(cspId: string, brandId: string): Promise<readonly FeedbackCategory[]>
  /**
   * Resolves with the free-trial brand and the name of its CSP, which is usually another one. 502
   * when the CSP has no access to it, or none is set up.
   */
  freeTrial(csp: Csp): Promise<TaggedBrand & { readonly cspName: string }>
}

export function createBrands(core: Core): Brands {
  const { db } = core
  const tagged = async (from: Reader, brand: Brand): Promise<TaggedBrand> => {
    const tags = await tagsOf(from, 'BRAND', [brand.brandId])
    return { brand, tags: tags.get(brand.brandId) ?? [] }
  }
  return {
    register: (csp, wanted) => core.commit((tx) => register(core, tx, csp, wanted)),
    find: async (cspId, brandId) => tagged(db.read, await ownBrand(db.read, cspId, brandId)),
    list: async (cspId, filter, page) => {
      const { items, total } = await listBrands(db.read, cspId, filter, page)
      const ids = items.map((brand) => brand.brandId)
      const tags = await tagsOf(db.read, 'BRAND', ids)
      return {
        items: items.map((brand) => ({ brand, tags: tags.get(brand.brandId) ?? [] })),
        total,
      }
    },
    update: (csp, brandId, wanted) =>
      core.commit(async (tx) => {
        await refuseFixed(tx, csp, brandId, wanted)
        return tagged(tx, await update(core, tx, csp, { brandId, change: wanted.change }))
      }),
    remove: async (cspId, brandId) => {
      await core.commit(async (tx) => {
        const brand = await liveBrand(tx, cspId, brandId)
        if ((await countActiveCampaigns(tx, brandId)) > 0)
          throw refuse(542, ['brandId'], 'the brand has active campaigns')
        await deleteBrand(core, tx, brand)
      })
    },
    revet: (csp, brandId) =>
      core.commit(async (tx) => tagged(tx, await revet(core, tx, csp, brandId))),
    feedback: async (cspId, brandId) => {
      const brand = await ownBrand(db.read, cspId, brandId)
      if (brand.scoring === 'pending') throw refuse(535, ['brandId'], 'scoring has not finished')
      if (brand.scoring === 'unsuccessful')
        throw refuse(526, ['brandId'], `scoring failed: ${brand.explanation.join('; ')}`)
      return brand.feedback
    },
    freeTrial: async (csp) => {
      const brand = await freeTrialBrand(db.read, csp)
      const owner = (await findCsp(db.read, brand.cspId)) ?? csp
      return { ...(await tagged(db.read, brand)), cspName: owner.name }
    },
  }
}

async function register(
  core: Core,
  tx: Writer,
  csp: Csp,
  { details: given, isMock, tags }: NewBrand,
): Promise<TaggedBrand> {
  const details = normalised(given)
  const { limits, fees } = core.tables
  refuseSoleProprietor(csp, details)
  throwIfAny([...checkBrand(details, core.tables), ...checkTags(tags, limits.maxTagsPerBrand)])
  await checkUnique(core, tx, csp.cspId, details, isMock)
  if ((await countBrands(tx, csp.cspId, 'ACTIVE')) >= limits.maxBrands)
    throw refuse(512, [], `a CSP has at most ${limits.maxBrands} brands`)
  const now = core.clock.now()
  const isTaken = async (id: string) => (await findBrand(tx, id)) !== undefined
  const brand: Brand = {
    brandId: await freeRegistryId('B', isTaken),
    cspId: csp.cspId,
    status: 'ACTIVE',
    ...newIdentity(details.entityType),
    details,
    isMock,
    createdAt: now,
    scoring: 'pending',
    feedback: [],
    explanation: [],
    scoredInformation: scoredInformation(details),
    hasPoliticalVet: false,
  }
  await insertBrand(tx, brand)
  const names = [...new Set(tags.map(tagKey))]
  for (const name of names)
    await insertTag(tx, csp.cspId, { name, recordType: 'BRAND', recordId: brand.brandId })
  const { cspId, brandId } = brand
  const fee = { kind: 'brand', subject: brandId, occasion: brandId, amount: fees.brand } as const
  await charge(core, tx, { cspId, ...fee, isMock })
  await emit(core, tx, { type: 'BRAND_ADD', cspId, brand })
  await submitForScoring(core, tx, brandId)
  if (isMock) await schedule(tx, 'delete-mock-brand', brandId, now + limits.mockBrandDays * DAY_MS)
  return { brand, tags: names }
}

function refuseSoleProprietor(csp: Csp, { entityType }: BrandDetails): void {
  if (entityType === 'SOLE_PROPRIETOR' && !csp.soleProprietorEnabled)
    throw refuse(534, ['entityType'], 'sole proprietors are not enabled for this CSP')
}

function checkTags(tags: readonly string[], max: number): Problem[] {
  const problems = tags.some((tag) => tagName(tag) === undefined)
    ? [problem(501, ['tag'], 'a tag has 1 to 50 characters, no punctuation and no spaces')]
    : []
  const isTooMany = new Set(tags.map(tagKey)).size > max
  return isTooMany ? [...problems, problem(530, ['tag'], `at most ${max} tags`)] : problems
}

async function checkUnique(
  core: Core,
  tx: Reader,
  cspId: string,
  details: BrandDetails,
  isMock: boolean,
  exceptBrandId?: string,
): Promise<void> {
  if (await isReferenceTaken(tx, cspId, details.referenceId, exceptBrandId))
    throw refuse(503, ['referenceId'], 'another brand has this referenceId')
  const { mobilePhone, entityType } = details
  if (entityType !== 'SOLE_PROPRIETOR' || mobilePhone === undefined || isMock) return
  const uses = await countSoleProprietorsWith(tx, mobilePhone, exceptBrandId)
  if (uses >= core.tables.limits.soleProprietorPhoneReuse)
    throw refuse(550, ['mobilePhone'], 'the mobile phone is used by too many sole proprietors')
}

/** Refuses a change of read-only fields, instead of ignoring it. */
async function refuseFixed(
  tx: Reader,
  { cspId }: Csp,
  brandId: string,
  { tags, isMock }: BrandUpdate,
): Promise<void> {
  const brand = await liveBrand(tx, cspId, brandId)
  const present = new Set((await tagsOf(tx, 'BRAND', [brandId])).get(brandId) ?? [])
  const wanted = new Set((tags ?? [...present]).map(tagKey))
  const isTagged = wanted.size === present.size && [...wanted].every((tag) => present.has(tag))
  throwIfAny([
    ...(isTagged ? [] : [problem(501, ['tag'], 'tags are changed by /tag, not by PUT')]),
    ...((isMock ?? brand.isMock) === brand.isMock
      ? []
      : [problem(501, ['mock'], 'a brand is a mock, or not, from its registration on')]),
  ])
}

interface BrandChange {
  readonly brandId: string
  readonly change: Readonly<Partial<Record<keyof BrandDetails, unknown>>>
}

async function update(
  core: Core,
  tx: Writer,
  csp: Csp,
  { brandId, change }: BrandChange,
): Promise<Brand> {
  const brand = await liveBrand(tx, csp.cspId, brandId)
  const details = merged(brand.details, change)
  // A brand that is one already keeps its right to be corrected.
  if (brand.details.entityType !== 'SOLE_PROPRIETOR') refuseSoleProprietor(csp, details)
  const verdict = judgeUpdate(normalised(brand.details), details, {
    now: core.clock.now(),
    externalVets: await countLiveVettings(tx, brandId),
    activeCampaigns: await countActiveCampaigns(tx, brandId),
    relationshipChangedAt: brand.relationshipChangedAt,
    relationshipMonths: core.tables.limits.brandRelationshipMonths,
  })
  const refused = verdict.type === 'refused' ? verdict.problems : []
  throwIfAny([...checkBrand(details, core.tables), ...refused])
  await checkUnique(core, tx, csp.cspId, details, brand.isMock, brandId)
  if (verdict.type === 'refused' || verdict.changed.length === 0) return brand
  const { becomesUnverified, changesRelationship } = verdict
  const next: Brand = {
    ...(becomesUnverified ? doubted(brand) : brand),
    details,
    relationshipChangedAt: changesRelationship ? core.clock.now() : brand.relationshipChangedAt,
  }
  await saveBrand(tx, next)
  await emit(core, tx, { type: 'BRAND_UPDATE', cspId: csp.cspId, brand: next })
  if (next.identityStatus !== brand.identityStatus) await emitIdentity(core, tx, next)
  await carryBrandUp(core, tx, 'update-brand-upstream', next)
  if (becomesUnverified) await endScoringAppeals(core, tx, next)
  return verdict.revokesAuthPlus ? revokeAuthPlus(core, tx, next) : next
}

/** The brand after a change of its identifying facts, which invalidates its identity check. */
function doubted(brand: Brand): Brand {
  const identity = stepIdentity(brand, { type: 'facts-changed' })
  return { ...brand, ...identity, mobilePhoneVerifiedAt: undefined }
}

function merged(details: BrandDetails, change: BrandChange['change']): BrandDetails {
  const given = Object.entries({ ...details, ...change }).filter(([, value]) => value !== undefined)
  // The brand's own schema has parsed the change and checks every required field.
  return normalised(Object.fromEntries(given) as unknown as BrandDetails)
}

async function revet(core: Core, tx: Writer, csp: Csp, brandId: string): Promise<Brand> {
  const brand = await liveBrand(tx, csp.cspId, brandId)
  demand(core, 'VETTING_PARTNER')
  if (brand.scoring === 'pending') throw refuse(527, ['brandId'], 'scoring has not finished')
  const information = scoredInformation(brand.details)
  if (information === brand.scoredInformation && !mayAskAgain(brand))
    throw refuse(525, ['brandId'], 'nothing that is scored has changed since the last time')
  const next: Brand = {
    ...brand,
    scoring: 'pending',
    scoredInformation: information,
  }
  await saveBrand(tx, next)
  const { cspId, isMock } = brand
  const amount = core.tables.fees.revet
  const occasion = `${brandId}:${core.clock.now()}`
  await charge(core, tx, { cspId, kind: 'revet', subject: brandId, occasion, amount, isMock })
  await emit(core, tx, { type: 'BRAND_REVET', cspId, brand: next })
  await carryBrandUp(core, tx, 'revet-brand-upstream', next)
  await submitForScoring(core, tx, brandId)
  return next
}

/** Schedules scoring now, unless an operator decides about brands. */
async function submitForScoring(core: Core, tx: Writer, brandId: string): Promise<void> {
  if (core.tables.decisions.brand === 'SCORE')
    await schedule(tx, 'score-brand', brandId, core.clock.now())
}

/**
 * True when unchanged information may be scored again: scoring was impossible, or Authentication+
 * failed or expired.
 */
function mayAskAgain({ scoring, authPlus }: Brand): boolean {
  return scoring === 'unsuccessful' || ['failed', 'expired'].includes(authPlus?.state ?? '')
}

/** Marks the brand as deleted; the caller must end its campaigns first. */
export async function deleteBrand(core: Core, tx: Writer, brand: Brand): Promise<void> {
  const deleted: Brand = { ...brand, status: 'DELETED' }
  await saveBrand(tx, deleted)
  await endChecks(core, tx, brand)
  await emit(core, tx, { type: 'BRAND_DELETE', cspId: brand.cspId, brand: deleted })
  await carryBrandUp(core, tx, 'delete-brand-upstream', deleted)
}

/** Ends the appeals against a scoring that the brand's change of facts made obsolete. */
async function endScoringAppeals(core: Core, tx: Writer, brand: Brand): Promise<void> {
  for (const appeal of await listAppeals(tx, brand.brandId))
    if (appeal.vettingId === undefined)
      await end(core, tx, brand, { appeal, why: 'the brand has changed: it needs a re-vet' })
}

/** Ends the pending appeals and vettings of a deleted brand. */
async function endChecks(core: Core, tx: Writer, brand: Brand): Promise<void> {
  const why = 'the brand was deleted'
  for (const appeal of await listAppeals(tx, brand.brandId))
    await end(core, tx, brand, { appeal, why })
  for (const vetting of await listVettings(tx, brand.brandId)) {
    if (vetting.status !== 'PENDING') continue
    await saveVetting(tx, { ...vetting, status: 'FAILED', reasons: [why] })
    await cancelJobs(tx, 'score-vetting', vetting.vettingId)
    await emitReport(core, tx, 'EVP_REPORT_FAIL', brand, vetting)
  }
}

async function end(
  core: Core,
  tx: Writer,
  brand: Brand,
  { appeal, why: explanation }: { readonly appeal: Appeal; readonly why: string },
): Promise<void> {
  if (appeal.status !== 'PENDING') return
  const statusAt = core.clock.now()
  const outcome = { isGranted: false, explanation }
  await saveAppeal(tx, { ...appeal, status: 'COMPLETE', statusAt, outcome })
  await cancelJobs(tx, 'grant-appeal', appeal.appealId)
  await emit(core, tx, { type: 'BRAND_APPEAL_COMPLETE', cspId: brand.cspId, brand })
}
