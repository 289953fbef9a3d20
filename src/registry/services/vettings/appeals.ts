/** Appeals against the scoring of a brand or against a vetting. */
import { randomUUID } from 'node:crypto'
import type { Reader, Writer } from '../../../platform/database/database.js'
import { emit } from '../../events/emit.js'
import { type JobHandler, schedule } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import { refuse } from '../../model/registry-error.js'
import { DAY_MS } from '../../rules/calendar.js'
import { countAttachmentsOf } from '../../storage/attachments.js'
import { type Brand, findBrand } from '../../storage/brands.js'
import { charge } from '../../storage/charges.js'
import type { Csp } from '../../storage/csps.js'
import {
  type Appeal,
  findAppeal,
  findVetting,
  listAppeals,
  saveAppeal,
} from '../../storage/vettings.js'
import { liveBrand } from '../brands/brand-facts.js'
import { finishScoring, rankOfBrand } from '../brands/score-brand.js'

export interface NewAppeal {
  readonly appealCategories: readonly string[]
  readonly explanation: string
  readonly attachmentUuids: readonly string[]
  /** The vetting that the appeal contests; absent for an appeal against the scoring. */
  readonly vettingId?: string
  /** The provider of that vetting. */
  readonly evpId?: string
}

export interface AppealDecision {
  readonly isGranted: boolean
  readonly explanation: string
}

export async function addAppeal(
  core: Core,
  tx: Writer,
  csp: Csp,
  brandId: string,
  { evpId, ...wanted }: NewAppeal,
): Promise<Appeal> {
  const brand = await liveBrand(tx, csp.cspId, brandId)
  const isOfVetting = wanted.vettingId !== undefined
  const name = isOfVetting ? 'extVettingAppealCategory' : 'brandAppealCategory'
  const known = core.tables.enumerations[name] ?? []
  if (wanted.appealCategories.some((each) => !known.includes(each)))
    throw refuse(559, ['appealCategories'], `of /enum/${name}`)
  const decidedAt = isOfVetting
    ? await vettedAt(tx, brandId, { vettingId: wanted.vettingId, evpId })
    : appealableSince(brand)
  const now = core.clock.now()
  const { appealDays } = core.tables.limits
  if (now > decidedAt + appealDays * DAY_MS)
    throw refuse(592, ['brandId'], `appeals are possible for ${appealDays} days`)
  const pending = (await listAppeals(tx, brandId)).some(
    (each) => each.status === 'PENDING' && each.vettingId === wanted.vettingId,
  )
  if (pending) throw refuse(592, ['brandId'], 'an appeal is pending already')
  await checkEvidence(tx, brandId, wanted.attachmentUuids)
  const appeal: Appeal = {
    ...wanted,
    appealId: randomUUID(),
    brandId,
    status: 'PENDING',
    requestedAt: now,
    statusAt: now,
  }
  await saveAppeal(tx, appeal)
  const { fees } = core.tables
  const { cspId, isMock } = brand
  const amount = isOfVetting ? fees.vettingAppeal : fees.brandAppeal
  const occasion = appeal.appealId
  await charge(core, tx, { cspId, kind: 'appeal', subject: brandId, occasion, amount, isMock })
  await emit(core, tx, { type: 'BRAND_APPEAL_ADD', cspId, brand })
  if (core.tables.decisions.appeal === 'ACCEPT')
    await schedule(tx, 'grant-appeal', appeal.appealId, now)
  return appeal
}

function appealableSince(brand: Brand): number {
  if (brand.scoring === 'pending') throw refuse(535, ['brandId'], 'scoring has not finished')
  if (brand.identityStatus !== 'UNVERIFIED')
    throw refuse(592, ['brandId'], 'there is nothing to appeal against')
  return brand.scoredAt ?? brand.createdAt
}

async function vettedAt(
  tx: Reader,
  brandId: string,
  { vettingId = '', evpId }: Readonly<Record<'vettingId' | 'evpId', string | undefined>>,
): Promise<number> {
  const vetting = await findVetting(tx, vettingId)
  if (vetting?.brandId !== brandId || vetting.evpId !== evpId)
    throw refuse(520, ['vettingId'], 'the brand has no such vetting')
  if (vetting.vettedAt === undefined) throw refuse(535, ['vettingId'], 'the vetting is pending')
  return vetting.vettedAt
}

async function checkEvidence(tx: Reader, brandId: string, uuids: readonly string[]) {
  if (uuids.length === 0) return
  if ((await countAttachmentsOf(tx, brandId, uuids)) !== new Set(uuids).size)
    throw refuse(501, ['attachmentUuids'], 'not all of them are evidence of this brand')
}

export async function completeAppeal(
  core: Core,
  tx: Writer,
  appealId: string,
  decision: AppealDecision,
): Promise<void> {
  const pending = await pendingAppeal(tx, appealId)
  if (pending === undefined) throw refuse(592, ['appealId'], 'there is no such pending appeal')
  await decide(core, tx, pending, decision)
}

async function decide(
  core: Core,
  tx: Writer,
  { appeal, brand }: PendingAppeal,
  decision: AppealDecision,
): Promise<void> {
  await saveAppeal(tx, {
    ...appeal,
    status: 'COMPLETE',
    statusAt: core.clock.now(),
    outcome: decision,
  })
  await emit(core, tx, { type: 'BRAND_APPEAL_COMPLETE', cspId: brand.cspId, brand })
  if (!decision.isGranted || appeal.vettingId !== undefined) return
  const { bestScore } = await rankOfBrand(tx, brand.brandId)
  const explanation = ['verified on appeal', decision.explanation]
  const granted = { type: 'appeal-granted', bestScore } as const
  await finishScoring(core, tx, brand, granted, { feedback: [], explanation })
}

/** An appeal that can be decided, with its brand. */
interface PendingAppeal {
  readonly appeal: Appeal
  readonly brand: Brand
}

/** Resolves with undefined when the appeal is decided or its brand is deleted. */
async function pendingAppeal(tx: Reader, appealId: string): Promise<PendingAppeal | undefined> {
  const appeal = await findAppeal(tx, appealId)
  const brand = appeal === undefined ? undefined : await findBrand(tx, appeal.brandId)
  if (appeal?.status !== 'PENDING' || brand?.status !== 'ACTIVE') return undefined
  return { appeal, brand }
}

/** The job that grants an appeal by the rule, unless it is already decided. */
export function grantAppealJob(core: Core): JobHandler {
  return {
    type: 'commit',
    run: async (tx, job) => {
      const pending = await pendingAppeal(tx, job.subject)
      if (pending === undefined) return
      await decide(core, tx, pending, { isGranted: true, explanation: 'granted by rule' })
    },
  }
}
