import type { Writer } from '../../../platform/database/database.js'
import { emit } from '../../events/emit.js'
import { type JobHandler, schedule } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import type { BrandOutcome, RegistryProvider } from '../../providers/registry-provider.js'
import {
  type BrandIdentityEvent,
  isVerified,
  rankOf,
  stepIdentity,
  type VettingRank,
} from '../../rules/brand-identity.js'
import { scoredInformation } from '../../rules/update-brand.js'
import { type Brand, type FeedbackCategory, findBrand, saveBrand } from '../../storage/brands.js'
import { listVettings } from '../../storage/vettings.js'
import { startAuthPlus } from './auth-plus.js'

/** Interval at which the provider is polled about a pending brand, ms. */
const ASK_AGAIN_MS = 2_000

/** The job that asks the provider about a new or corrected brand. */
export function scoreBrandJob(core: Core, provider: RegistryProvider): JobHandler {
  return {
    type: 'perform',
    run: async (job, signal) => {
      const brand = await findBrand(core.db.read, job.subject)
      if (brand?.status !== 'ACTIVE' || brand.scoring !== 'pending') return () => Promise.resolve()
      const outcome = await provider.scoreBrand(brand, signal)
      return (tx) => applyBrandOutcome(core, tx, brand, outcome)
    },
  }
}

/** Applies an outcome to the brand, which may have changed since the provider was asked. */
async function applyBrandOutcome(
  core: Core,
  tx: Writer,
  { brandId, details }: Brand,
  outcome: BrandOutcome,
): Promise<void> {
  const brand = await findBrand(tx, brandId)
  // A decision of an operator in the meantime overrides the check.
  if (brand?.status !== 'ACTIVE' || brand.scoring !== 'pending') return
  if (scoredInformation(brand.details) !== scoredInformation(details)) {
    // The facts have changed since; score the current ones.
    await schedule(tx, 'score-brand', brandId, core.clock.now())
    return
  }
  switch (outcome.type) {
    case 'pending':
      await saveBrand(tx, { ...brand, upstreamBrandId: outcome.upstreamBrandId })
      await schedule(tx, 'score-brand', brandId, core.clock.now() + ASK_AGAIN_MS)
      return
    case 'unsuccessful':
      await failScoring(core, tx, brand, outcome.explanation)
      return
    case 'scored': {
      const { bestScore } = await rankOfBrand(tx, brandId)
      const asked: Brand = {
        ...brand,
        universalEin: outcome.universalEin,
        upstreamBrandId: outcome.upstreamBrandId ?? brand.upstreamBrandId,
      }
      await finishScoring(
        core,
        tx,
        asked,
        {
          type: 'checked',
          found: outcome.identityStatus,
          isPhoneVerified: brand.mobilePhoneVerifiedAt !== undefined,
          bestScore,
        },
        outcome,
      )
    }
  }
}

/** Records that the brand could not be scored; its identity does not change. */
export async function failScoring(
  core: Core,
  tx: Writer,
  brand: Brand,
  explanation: readonly string[],
): Promise<void> {
  await saveBrand(tx, { ...brand, scoring: 'unsuccessful', explanation })
  await emitIdentity(core, tx, brand)
}

export interface ScoringReport {
  readonly feedback: readonly FeedbackCategory[]
  readonly explanation: readonly string[]
}

/**
 * Stores the decision of a check, an appeal or an operator, emits its event, and starts the next
 * step.
 */
export async function finishScoring(
  core: Core,
  tx: Writer,
  brand: Brand,
  event: BrandIdentityEvent,
  { feedback, explanation }: ScoringReport,
): Promise<void> {
  const scored: Brand = {
    ...brand,
    ...stepIdentity(brand, event),
    scoring: 'finished',
    scoredAt: core.clock.now(),
    feedback,
    explanation,
  }
  await saveBrand(tx, scored)
  if (scored.identityStatus !== 'SELF_DECLARED') await emitIdentity(core, tx, scored)
  if (isVerified(scored) && scored.details.entityType === 'PUBLIC_PROFIT')
    await startAuthPlus(core, tx, scored)
}

export async function rankOfBrand(tx: Writer, brandId: string): Promise<VettingRank> {
  return rankOf(await listVettings(tx, brandId))
}

export async function emitIdentity(core: Core, tx: Writer, brand: Brand): Promise<void> {
  await emit(core, tx, {
    type: 'BRAND_IDENTITY_STATUS_UPDATE',
    cspId: brand.cspId,
    brand,
    extra: { brandIdentityStatus: brand.identityStatus },
  })
}
