/** External vettings of brands, and appeals against scorings and vettings. */
import { randomUUID } from 'node:crypto'
import type { Writer } from '../../../platform/database/database.js'
import { emit, emitReport } from '../../events/emit.js'
import { type JobHandler, schedule } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import { refuse } from '../../model/registry-error.js'
import { stepIdentity } from '../../rules/brand-identity.js'
import { addMonths, DAY_MS } from '../../rules/calendar.js'
import { demand } from '../../rules/outages.js'
import { vettingScore } from '../../rules/score-brand.js'
import { type Brand, findBrand, saveBrand } from '../../storage/brands.js'
import { charge } from '../../storage/charges.js'
import type { Csp } from '../../storage/csps.js'
import {
  type Appeal,
  findVetting,
  listAppeals,
  listVettings,
  saveVetting,
  type Vetting,
} from '../../storage/vettings.js'
import { countActiveCampaigns, liveBrand, ownBrand } from '../brands/brand-facts.js'
import { emitIdentity, rankOfBrand } from '../brands/score-brand.js'
import { type AppealDecision, addAppeal, completeAppeal, type NewAppeal } from './appeals.js'

export interface VettingOrder {
  readonly evpId: string
  readonly vettingClass: string
}

/** An appeal, with the vetting that it contests, if any. */
export interface ListedAppeal {
  readonly appeal: Appeal
  readonly vetting: Vetting | undefined
}

export interface Vettings {
  list(cspId: string, brandId: string, statuses: readonly string[]): Promise<Vetting[]>
  order(csp: Csp, brandId: string, order: VettingOrder): Promise<Vetting>
  /**
   * Resolves with the newest ENHANCED vetting. RegistryError 520 none, 535 pending, 526 failed, 508
   * expired.
   */
  enhancedReport(cspId: string, brandId: string): Promise<Vetting>
  /** Imports a vetting of another CSP's brand with the same tax ID. */
  import(csp: Csp, brandId: string, evpId: string, vettingId: string): Promise<Vetting>
  /**
   * Stores the provider's result. Without a score, a pending vetting fails and an active one
   * becomes unscored. A score for an active or unscored vetting replaces the earlier one.
   * RegistryError 592 once the vetting has ended.
   */
  decide(vettingId: string, score: number | undefined): Promise<void>
  /** Records that the provider has sent a letter to the brand. */
  noteLetter(vettingId: string): Promise<void>
  appeal(csp: Csp, brandId: string, appeal: NewAppeal): Promise<Appeal>
  appeals(cspId: string, brandId: string, isOfVetting: boolean): Promise<ListedAppeal[]>
  decideAppeal(appealId: string, decision: AppealDecision): Promise<void>
}

export function createVettings(core: Core): Vettings {
  return {
    list: async (cspId, brandId, statuses) => {
      await ownBrand(core.db.read, cspId, brandId)
      const found = await listVettings(core.db.read, brandId)
      return found.filter((each) => statuses.includes(each.status))
    },
    order: (csp, brandId, order) =>
      core.commit((tx) => orderVetting(core, tx, csp, brandId, order)),
    enhancedReport: async (cspId, brandId) => {
      await ownBrand(core.db.read, cspId, brandId)
      return reported((await listVettings(core.db.read, brandId)).filter(isEnhanced).at(-1))
    },
    import: (csp, brandId, evpId, vettingId) =>
      core.commit((tx) => importVetting(core, tx, csp, { brandId, evpId, vettingId })),
    decide: (vettingId, score) =>
      core.commit(async (tx) => {
        const vetting = await findVetting(tx, vettingId)
        if (vetting === undefined) throw refuse(520, ['vettingId'], 'there is no such vetting')
        await decideVetting(core, tx, vetting, score)
      }),
    noteLetter: (vettingId) =>
      core.commit(async (tx) => {
        const vetting = await findVetting(tx, vettingId)
        const brand = vetting === undefined ? undefined : await findBrand(tx, vetting.brandId)
        if (vetting === undefined || brand === undefined)
          throw refuse(520, ['vettingId'], 'there is no such vetting')
        if (isOver(vetting)) throw refuse(592, ['vettingId'], `the vetting is ${vetting.status}`)
        await emitReport(core, tx, 'EVP_REPORT_EXPRESS_MAIL', brand, vetting)
      }),
    appeal: (csp, brandId, appeal) =>
      core.commit((tx) => addAppeal(core, tx, csp, brandId, appeal)),
    appeals: async (cspId, brandId, isOfVetting) => {
      await ownBrand(core.db.read, cspId, brandId)
      const found = await listAppeals(core.db.read, brandId)
      const wanted = found.filter(({ vettingId }) => (vettingId !== undefined) === isOfVetting)
      const vettings = isOfVetting ? await listVettings(core.db.read, brandId) : []
      return wanted.map((appeal) => ({
        appeal,
        vetting: vettings.find(({ vettingId }) => vettingId === appeal.vettingId),
      }))
    },
    decideAppeal: (appealId, decision) =>
      core.commit((tx) => completeAppeal(core, tx, appealId, decision)),
  }
}

const isEnhanced = ({ vettingClass }: Vetting): boolean => vettingClass === 'ENHANCED'

function reported(vetting: Vetting | undefined): Vetting {
  if (vetting === undefined) throw refuse(520, ['brandId'], 'the brand has no enhanced vetting')
  switch (vetting.status) {
    case 'PENDING':
      throw refuse(535, ['brandId'], 'the vetting has not finished')
    case 'FAILED':
      throw refuse(526, ['brandId'], 'the vetting was unsuccessful')
    case 'EXPIRED':
      throw refuse(508, ['brandId'], 'the vetting has expired')
    default:
      return vetting
  }
}

async function orderVetting(
  core: Core,
  tx: Writer,
  csp: Csp,
  brandId: string,
  { evpId, vettingClass }: VettingOrder,
): Promise<Vetting> {
  const brand = await liveBrand(tx, csp.cspId, brandId)
  demand(core, 'VETTING_PARTNER')
  const provider = core.tables.partners.vettingProviders[evpId]
  if (provider === undefined) throw refuse(501, ['evpId'], `there is no provider ${evpId}`)
  if (!provider.classes.includes(vettingClass))
    throw refuse(501, ['vettingClass'], `${evpId} vets ${provider.classes.join(', ')}`)
  if (brand.details.entityType === 'SOLE_PROPRIETOR')
    throw refuse(541, ['brandId'], 'sole proprietors are not vetted')
  if (brand.scoring === 'pending') throw refuse(527, ['brandId'], 'scoring has not finished')
  const now = core.clock.now()
  const days = core.tables.limits.duplicateVettingDays
  const isDuplicate = (await listVettings(tx, brandId)).some(
    (each) =>
      each.evpId === evpId &&
      each.vettingClass === vettingClass &&
      each.status !== 'FAILED' &&
      now < each.createdAt + days * DAY_MS,
  )
  if (isDuplicate) throw refuse(549, ['vettingClass'], `once in ${days} days`)
  const vetting: Vetting = {
    vettingId: randomUUID(),
    brandId,
    evpId,
    vettingClass,
    status: 'PENDING',
    reasons: [],
    createdAt: now,
  }
  await saveVetting(tx, vetting)
  const amount = core.tables.fees.vetting[vettingClass] ?? 0
  const { isMock, cspId } = brand
  const occasion = vetting.vettingId
  await charge(core, tx, { cspId, kind: 'vetting', subject: brandId, occasion, amount, isMock })
  if (core.tables.decisions.vetting === 'SCORE')
    await schedule(tx, 'score-vetting', vetting.vettingId, now)
  return vetting
}

async function importVetting(
  core: Core,
  tx: Writer,
  csp: Csp,
  wanted: { readonly brandId: string; readonly evpId: string; readonly vettingId: string },
): Promise<Vetting> {
  const brand = await liveBrand(tx, csp.cspId, wanted.brandId)
  if (brand.details.entityType === 'SOLE_PROPRIETOR')
    throw refuse(541, ['brandId'], 'sole proprietors are not vetted')
  if ((await countActiveCampaigns(tx, brand.brandId)) > 0)
    throw refuse(540, ['brandId'], 'the brand has active campaigns')
  const source = await importable(tx, brand, wanted)
  const imported: Vetting = {
    ...source,
    vettingId: randomUUID(),
    brandId: brand.brandId,
    originalId: originalOf(source),
    createdAt: core.clock.now(),
  }
  await saveVetting(tx, imported)
  await scheduleExpiry(core, tx, imported)
  await emitReport(core, tx, 'EVP_REPORT_IMPORT', brand, imported)
  await rank(core, tx, brand, 'vetted')
  return imported
}

/**
 * The vetting to import. RegistryError 508 expired, 538 and 543 another company's, 539 unknown or
 * without a score, 549 already imported.
 */
async function importable(
  tx: Writer,
  brand: Brand,
  wanted: { readonly evpId: string; readonly vettingId: string },
): Promise<Vetting> {
  const source = await findVetting(tx, wanted.vettingId)
  if (source?.evpId !== wanted.evpId || source.status === 'FAILED')
    throw refuse(539, ['vettingId'], 'the provider knows no such vetting')
  // A pending copy would never be scored and would lock the brand's identity for ever.
  if (source.status === 'PENDING') throw refuse(539, ['vettingId'], 'the vetting has not finished')
  if (source.status === 'UNSCORE') throw refuse(539, ['vettingId'], 'the vetting has no score')
  if (source.status === 'EXPIRED') throw refuse(508, ['vettingId'], 'the vetting has expired')
  const original = originalOf(source)
  if ((await listVettings(tx, brand.brandId)).some((each) => originalOf(each) === original))
    throw refuse(549, ['vettingId'], 'the brand has this vetting already')
  const owner = await findBrand(tx, source.brandId)
  if (owner?.details.ein !== brand.details.ein)
    throw refuse(543, ['vettingId'], 'the vetting belongs to another brand')
  if (owner?.details.companyName !== brand.details.companyName)
    throw refuse(538, ['vettingId'], 'the report names another company')
  return source
}

/** The id of the vetting that was imported first; its own id when it is no import. */
function originalOf({ vettingId, originalId = vettingId }: Vetting): string {
  return originalId
}

export function scoreVettingJob(core: Core): JobHandler {
  return {
    type: 'commit',
    run: async (tx, job) => {
      const vetting = await findVetting(tx, job.subject)
      const brand = vetting === undefined ? undefined : await findBrand(tx, vetting.brandId)
      if (vetting?.status !== 'PENDING' || brand === undefined) return
      const { score, reasons } = vettingScore(brand.details, core.tables)
      await finishVetting(core, tx, vetting, score, reasons)
    },
  }
}

function isOver({ status }: Vetting): boolean {
  return status === 'FAILED' || status === 'EXPIRED'
}

async function decideVetting(
  core: Core,
  tx: Writer,
  vetting: Vetting,
  score: number | undefined,
): Promise<void> {
  if (isOver(vetting)) throw refuse(592, ['vettingId'], `the vetting is ${vetting.status}`)
  const brand = await findBrand(tx, vetting.brandId)
  if (brand?.status !== 'ACTIVE') throw refuse(502, ['vettingId'], 'the brand is deleted')
  const reasons = ['decided by an operator']
  if (vetting.status === 'PENDING') {
    await finishVetting(core, tx, vetting, score, reasons)
    return
  }
  const status = score === undefined ? 'UNSCORE' : 'ACTIVE'
  await saveVetting(tx, { ...vetting, status, score, reasons })
  const type = score === undefined ? 'EVP_REPORT_UNSCORE' : 'EVP_REPORT_UPDATE'
  await emitReport(core, tx, type, brand, vetting)
  await rank(core, tx, brand, score === undefined ? 'vetting-lost' : 'vetted')
}

async function finishVetting(
  core: Core,
  tx: Writer,
  vetting: Vetting,
  score: number | undefined,
  reasons: readonly string[],
): Promise<void> {
  const brand = await findBrand(tx, vetting.brandId)
  if (brand?.status !== 'ACTIVE') return
  const now = core.clock.now()
  const finished: Vetting = {
    ...vetting,
    status: score === undefined ? 'FAILED' : 'ACTIVE',
    score,
    reasons,
    vettedAt: now,
  }
  await saveVetting(tx, finished)
  if (score !== undefined) await scheduleExpiry(core, tx, finished)
  const type = score === undefined ? 'EVP_REPORT_FAIL' : 'EVP_REPORT_SCORE'
  await emitReport(core, tx, type, brand, finished)
  if (score !== undefined) await rank(core, tx, brand, 'vetted')
}

/** Schedules the expiry. Validity counts from the vetting's creation, also after a later import. */
async function scheduleExpiry(core: Core, tx: Writer, vetting: Vetting): Promise<void> {
  const months = core.tables.limits.vettingValidMonths[vetting.vettingClass]
  if (months === undefined || vetting.vettedAt === undefined) return
  await schedule(tx, 'expire-vetting', vetting.vettingId, addMonths(vetting.vettedAt, months))
}

/** Updates the brand's rank from its active vettings, after one was `vetted` or lost. */
async function rank(
  core: Core,
  tx: Writer,
  brand: Brand,
  type: 'vetted' | 'vetting-lost',
): Promise<void> {
  const { bestScore, ...ranking } = await rankOfBrand(tx, brand.brandId)
  const ranked: Brand = { ...brand, ...stepIdentity(brand, { type, bestScore }), ...ranking }
  await saveBrand(tx, ranked)
  const { cspId } = brand
  if (ranked.vettingScore !== brand.vettingScore)
    await emit(core, tx, { type: 'BRAND_SCORE_UPDATE', cspId, brand: ranked })
  if (ranked.identityStatus === brand.identityStatus) return
  await emit(core, tx, { type: 'BRAND_IDENTITY_VET_UPDATE', cspId, brand: ranked })
  await emitIdentity(core, tx, ranked)
}

export function expireVettingJob(core: Core): JobHandler {
  return {
    type: 'commit',
    run: async (tx, job) => {
      const vetting = await findVetting(tx, job.subject)
      const brand = vetting === undefined ? undefined : await findBrand(tx, vetting.brandId)
      if (vetting === undefined || brand === undefined || isOver(vetting)) return
      await saveVetting(tx, { ...vetting, status: 'EXPIRED' })
      await emitReport(core, tx, 'EVP_REPORT_EXPIRE', brand, vetting)
      // An unscored vetting has already lost its rank.
      if (vetting.status === 'ACTIVE') await rank(core, tx, brand, 'vetting-lost')
    },
  }
}
