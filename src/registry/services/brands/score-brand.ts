import type { Writer } from '../../../platform/database/database.js'
import { emit } from '../../events/emit.js'
import { type JobHandler, schedule } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import type { BrandOutcome, RegistryProvider } from '../../providers/registry-provider.js'
import { type Brand, findBrand, saveBrand } from '../../storage/brands.js'
import { startAuthPlus } from './auth-plus.js'

/** How long after a pending answer the provider is asked again. */
const ASK_AGAIN_MS = 2_000

/** Asks the provider about a new or corrected brand. */
export function scoreBrandJob(core: Core, provider: RegistryProvider): JobHandler {
  return {
    type: 'perform',
    run: async (job, signal) => {
      const brand = await findBrand(core.db.read, job.subject)
      if (brand?.status !== 'ACTIVE' || brand.scoring !== 'pending') return () => Promise.resolve()
      const outcome = await provider.scoreBrand(brand, signal)
      return (tx) => applyBrandOutcome(core, tx, job.subject, outcome)
    },
  }
}

export async function applyBrandOutcome(
  core: Core,
  tx: Writer,
  brandId: string,
  outcome: BrandOutcome,
): Promise<void> {
  const brand = await findBrand(tx, brandId)
  if (brand?.status !== 'ACTIVE') return
  switch (outcome.type) {
    case 'pending':
      await saveBrand(tx, { ...brand, upstreamBrandId: outcome.upstreamBrandId })
      await schedule(tx, 'score-brand', brandId, core.clock.now() + ASK_AGAIN_MS)
      return
    case 'unsuccessful':
      await saveBrand(tx, {
        ...brand,
        scoring: 'unsuccessful',
        explanation: outcome.explanation,
      })
      await emitIdentity(core, tx, brand)
      return
    case 'scored': {
      const scored: Brand = {
        ...brand,
        ...scoredFields(brand, outcome),
        scoredAt: core.clock.now(),
      }
      await saveBrand(tx, scored)
      if (scored.identityStatus !== 'SELF_DECLARED') await emitIdentity(core, tx, scored)
      if (isVerified(scored) && scored.details.entityType === 'PUBLIC_PROFIT')
        await startAuthPlus(core, tx, scored)
    }
  }
}

function scoredFields(
  brand: Brand,
  outcome: BrandOutcome & { readonly type: 'scored' },
): Partial<Brand> {
  // A sole proprietor who has passed the one-time password stays verified.
  const isPersonKnown =
    brand.mobilePhoneVerifiedAt !== undefined && outcome.identityStatus === 'SELF_DECLARED'
  return {
    scoring: 'finished',
    identityStatus: isPersonKnown ? 'VERIFIED' : outcome.identityStatus,
    universalEin: outcome.universalEin,
    feedback: outcome.feedback,
    explanation: outcome.explanation,
    ...(outcome.upstreamBrandId === undefined ? {} : { upstreamBrandId: outcome.upstreamBrandId }),
  }
}

export function isVerified(brand: Brand): boolean {
  return brand.identityStatus === 'VERIFIED' || brand.identityStatus === 'VETTED_VERIFIED'
}

export async function emitIdentity(core: Core, tx: Writer, brand: Brand): Promise<void> {
  await emit(core, tx, {
    type: 'BRAND_IDENTITY_STATUS_UPDATE',
    cspId: brand.cspId,
    brand,
    extra: { brandIdentityStatus: brand.identityStatus },
  })
}
